// Bindings of roles.
#include "apiserver/cells.h"
#include "apiserver/cells/reading.h"
#include "base/text.h"

namespace chandler::apiserver {
namespace {

using namespace cells;

json::Value role_ref(const json::Value& binding, WallTime) {
  return json::Value(std::string(text_at(binding, {"roleRef", "kind"})) + "/" +
                     std::string(text_at(binding, {"roleRef", "name"})));
}

std::string subjects(const json::Value& binding, std::string_view kind) {
  std::vector<std::string> names;
  for (const auto& subject : array_at(binding, {"subjects"})) {
    if (text_at(subject, {"kind"}) != kind) continue;
    auto name = json::string_or(subject, "name");
    names.push_back(kind == "ServiceAccount" ? json::string_or(subject, "namespace") + "/" + name : std::move(name));
  }
  return join(names, ", ");
}

json::Value users(const json::Value& binding, WallTime) { return json::Value(subjects(binding, "User")); }
json::Value groups(const json::Value& binding, WallTime) { return json::Value(subjects(binding, "Group")); }
json::Value accounts(const json::Value& binding, WallTime) { return json::Value(subjects(binding, "ServiceAccount")); }

constexpr NamedCell kCells[] = {
    {"role-ref", role_ref},
    {"subject-users", users},
    {"subject-groups", groups},
    {"subject-service-accounts", accounts},
};

}  // namespace

std::span<const NamedCell> rbac_cells() { return kCells; }

}  // namespace chandler::apiserver
