#include "client/served_kinds.h"

#include <algorithm>

#include "base/text.h"

namespace chandler::client {
namespace {

const registry::Version* preferred_version(const registry::Kind& kind) {
  const auto found = std::find_if(kind.versions.begin(), kind.versions.end(),
                                  [](const registry::Version& version) { return version.served; });
  return found == kind.versions.end() ? nullptr : &*found;
}

std::optional<ServedKind> served_kind(const registry::Kind& kind, std::string_view version) {
  const auto* exact = version.empty() ? nullptr : kind.version(version);
  const auto* chosen = exact != nullptr ? exact : preferred_version(kind);
  if (chosen == nullptr) return std::nullopt;
  ServedKind out;
  out.name = intern_kind(kind.group, kind.plural);
  out.version = chosen->name;
  out.kind = kind.kind;
  out.singular = kind.singular;
  out.short_names = kind.short_names;
  out.namespaced = kind.namespaced;
  out.has_status = chosen->has_status;
  out.exact_version = version.empty() || exact != nullptr;
  return out;
}

// How well the word names the kind; 0: not at all.
int closeness(const registry::Kind& kind, std::string_view word) {
  const auto same = [&](std::string_view name) { return equals_ignore_case(name, word); };
  if (same(kind.kind) || same(kind.plural)) return 3;
  if (same(kind.singular)) return 2;
  return std::any_of(kind.short_names.begin(), kind.short_names.end(), same) ? 1 : 0;
}

}  // namespace

std::optional<ServedKind> find_served(const std::vector<registry::KindPtr>& kinds, std::string_view group,
                                      std::string_view version, std::string_view word) {
  const registry::Kind* best = nullptr;
  int best_closeness = 0;
  for (const auto& kind : kinds) {
    if (kind->group != group || kind->terminating) continue;
    const int found = closeness(*kind, word);
    if (found > best_closeness) {
      best = kind.get();
      best_closeness = found;
    }
  }
  return best == nullptr ? std::nullopt : served_kind(*best, version);
}

}  // namespace chandler::client
