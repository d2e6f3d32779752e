#include "admission/pod_preset_merge.h"

#include <array>

#include <fmt/format.h>

#include "admission/fields.h"
#include "base/text.h"

namespace chandler::admission {
namespace {

using Same = bool (*)(const json::Value& a, const json::Value& b);  // entries that must not differ

template <const char* Key>
bool same_member(const json::Value& a, const json::Value& b) {
  return json::equal(member(a, Key), member(b, Key));
}

constexpr char kName[] = "name";

bool same_source(const json::Value& a, const json::Value& b) {
  return json::string_or(a, "prefix") == json::string_or(b, "prefix") &&
         json::equal(member(member(a, "configMapRef"), "name"), member(member(b, "configMapRef"), "name")) &&
         json::equal(member(member(a, "secretRef"), "name"), member(member(b, "secretRef"), "name"));
}

bool same_mount(const json::Value& a, const json::Value& b) {
  return same_member<kName>(a, b) || json::equal(member(a, "mountPath"), member(b, "mountPath"));
}

std::string label_of(const json::Value& entry) {
  if (filled(entry, "name")) return quoted(json::string_or(entry, "name"));
  const auto& secret = member(entry, "secretRef");
  return quoted(json::string_or(filled(&secret) ? secret : member(entry, "configMapRef"), "name"));
}

// Appends what is missing. A conflict names the entry.
std::optional<std::string> merge_list(json::Object& into, const json::Value& preset, std::string_view list, Same same) {
  const auto* wanted = json::array_at(preset, list);
  if (wanted == nullptr || wanted->empty()) return std::nullopt;
  auto& value = into[list];
  if (!value.is_array()) value.emplace_array();
  auto& entries = value.get_array();
  for (const auto& entry : *wanted) {
    bool there = false;
    for (const auto& existing : entries) {
      if (!same(existing, entry)) continue;
      if (!json::equal(existing, entry))
        return fmt::format("{} {} is there with another content", list, label_of(entry));
      there = true;
    }
    if (!there) entries.push_back(entry);
  }
  return std::nullopt;
}

struct Part {
  std::string_view list;
  Same same;
};
constexpr std::array<Part, 3> kContainerParts = {Part{"env", same_member<kName>}, Part{"envFrom", same_source},
                                                 Part{"volumeMounts", same_mount}};

}  // namespace

std::optional<std::string> merge_pod_preset(json::Object& pod_spec, const json::Value& preset_spec) {
  json::Object draft = pod_spec;
  if (auto why = merge_list(draft, preset_spec, "volumes", same_member<kName>)) return why;
  for (const std::string_view containers : {"initContainers", "containers"}) {
    auto* list = draft.if_contains(containers);
    if (list == nullptr || !list->is_array()) continue;
    for (auto& container : list->get_array()) {
      if (!container.is_object()) continue;  // a fault that the schema reports
      for (const auto& part : kContainerParts) {
        if (auto why = merge_list(container.get_object(), preset_spec, part.list, part.same)) {
          return fmt::format("container {}: {}", quoted(json::string_or(container, "name")), *why);
        }
      }
    }
  }
  pod_spec = std::move(draft);
  return std::nullopt;
}

}  // namespace chandler::admission
