#include "meta/schema.h"
#include "meta/schema_node.h"
#include "meta/trail.h"

namespace chandler::meta {
namespace {

bool is_resource_field(std::string_view name) { return name == "apiVersion" || name == "kind" || name == "metadata"; }

class Pruner {
 public:
  Pruner(std::vector<std::string>* unknown, bool keep) : unknown_(unknown), keep_(keep) {}

  void prune(json::Value& value, const Trail& trail, bool is_resource) {
    if (auto* object = value.if_object()) {
      prune_object(*object, trail, is_resource || trail.schema->has(kEmbeddedResource));
    } else if (auto* list = value.if_array(); list != nullptr && trail.schema->items != nullptr) {
      for (size_t i = 0; i < list->size(); ++i) {
        json::Value& item = (*list)[i];
        if (item.is_structured()) prune(item, trail.item(i, *trail.schema->items, item), false);
      }
    }
  }

 private:
  void prune_object(json::Object& object, const Trail& trail, bool is_resource) {
    json::erase_members(object, [&](auto& member) {
      const std::string_view name = member.key();
      const bool of_resource = is_resource && is_resource_field(name);
      const SchemaNode* known = of_resource && name == "metadata" ? &object_meta_schema() : trail.schema->member(name);
      if (known == nullptr && !of_resource && !trail.schema->has(kPreserveUnknown)) {
        report(trail, name);
        return !keep_;
      }
      if (known != nullptr && member.value().is_structured()) {
        prune(member.value(), trail.member(name, *known, member.value()), false);
      }
      return false;
    });
  }

  void report(const Trail& trail, std::string_view name) {
    if (unknown_ == nullptr || reported_bytes_ > kMaxReportBytes) return;
    unknown_->push_back(trail.path(Path()).member(name).str());
    reported_bytes_ += unknown_->back().size();
  }

  std::vector<std::string>* unknown_;
  bool keep_;
  size_t reported_bytes_ = 0;
};

}  // namespace

void prune(const SchemaNode& schema, json::Value& value, std::vector<std::string>* unknown, bool keep) {
  Pruner(unknown, keep).prune(value, Trail{&schema, &value}, true);
}

}  // namespace chandler::meta
