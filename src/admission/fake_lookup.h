// For the tests of this folder: a Lookup over documents given as JSON.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "admission/lookup.h"
#include "admission/rule_rows.h"
#include "base/text.h"

namespace chandler::admission {

class FakeLookup final : public Lookup {
 public:
  void add(const std::string& resource, std::string_view object) {  // "storage.k8s.io/storageclasses"
    auto value = document(object);
    value.at("metadata").as_object()["uid"] = "uid";
    auto made = registry::Document::from_stored(json::write(value), 1, {});
    if (!made.ok()) {
      ADD_FAILURE() << made.error().message;
      return;
    }
    objects_[resource].push_back(std::move(made).value());
  }

  registry::DocumentPtr get(std::string_view group, std::string_view plural, std::string_view ns,
                            std::string_view name) const override {
    for (const auto& object : list(group, plural)) {
      if (object->ns() == ns && object->name() == name) return object;
    }
    return nullptr;
  }

  std::vector<registry::DocumentPtr> list(std::string_view group, std::string_view plural) const override {
    const auto found = objects_.find(std::string(group) + "/" + std::string(plural));
    return found == objects_.end() ? std::vector<registry::DocumentPtr>() : found->second;
  }

  std::vector<registry::DocumentPtr> list_by(std::string_view group, std::string_view plural, std::string_view field,
                                             std::string_view value) const override {
    auto all = list(group, plural);
    const auto path = split(field, '.');
    std::erase_if(all, [&](const registry::DocumentPtr& object) {
      const auto parsed = object->parse();
      const json::Value* at = &parsed;
      for (const auto part : path) at = at == nullptr ? nullptr : json::find(*at, part);
      return at == nullptr || !at->is_string() || json::view(at->get_string()) != value;
    });
    return all;
  }

  std::vector<registry::DocumentPtr> list_in(std::string_view group, std::string_view plural,
                                             std::string_view ns) const override {
    auto all = list(group, plural);
    std::erase_if(all, [&](const registry::DocumentPtr& object) { return object->ns() != ns; });
    return all;
  }

 private:
  std::map<std::string, std::vector<registry::DocumentPtr>> objects_;
};

}  // namespace chandler::admission
