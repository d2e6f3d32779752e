// FieldsV1 of a new object, written straight from the document: every create pays for this, so no set is built.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "json/writer.h"
#include "meta/apply/compare.h"

namespace chandler::meta {
namespace {

constexpr std::string_view kMember = R"(".":{})";

class NewFieldsWriter {
 public:
  NewFieldsWriter(std::string& out, const FieldScope& scope) : out_(out), scope_(scope) {}

  // The value of an element: {} for what is owned as a whole. False: nothing in it can be owned, nothing is written.
  bool write(const Place& place, const json::Value& value) {
    if (is_leaf(place, value)) {
      if (place.may_be_owned()) out_ += "{}";
      return place.may_be_owned();
    }
    if (const auto* object = value.if_object()) {
      return write_members(place, *object, place.may_be_owned() && (!scope_.builtin || !place.is_struct()));
    }
    write_items(place, value.get_array());
    return true;
  }

  bool write_members(const Place& place, const json::Object& object, bool member) {
    const size_t begin = out_.size();
    out_ += '{';
    if (member) out_ += kMember;
    bool first = !member;
    for_each_tracked(place, scope_, object, [&](std::string_view name, const json::Value& value) {
      const size_t before = out_.size();
      if (!first) out_ += ',';
      write_element(out_, 'f', name);
      if (write(place.member(name), value)) {
        first = false;
      } else {
        out_.resize(before);
      }
    });
    out_ += '}';
    if (!first) return true;
    out_.resize(begin);
    return false;
  }

 private:
  void write_items(const Place& place, const json::Array& list) {
    std::vector<std::pair<std::string, const json::Value*>> items;
    items.reserve(list.size());
    for (const auto& item : list) {
      auto element = place.item_element(item);
      if (!element) {  // compared as a whole, so owned as a whole
        out_ += "{}";
        return;
      }
      items.emplace_back(std::move(*element), &item);
    }
    std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
    items.erase(std::unique(items.begin(), items.end(), same), items.end());
    out_ += '{';
    out_ += kMember;
    for (const auto& [element, item] : items) {
      out_ += ',';
      json::write_string(out_, element);
      out_ += ':';
      const auto* object = item->if_object();
      if (object == nullptr || is_leaf(place.item(), *item) || !write_members(place.item(), *object, true)) {
        out_ += "{}";
      }
    }
    out_ += '}';
  }

  std::string& out_;
  const FieldScope& scope_;
};

}  // namespace

bool write_fields_of_new(std::string& out, const SchemaNode* schema, const json::Value& object,
                         const FieldScope& scope) {
  return NewFieldsWriter(out, scope).write_members(Place::root(schema), object.as_object(), false);
}

}  // namespace chandler::meta
