#include "svcat/claims/fields.h"

#include <fmt/format.h>

#include "svcat/catalog/fields.h"

namespace chandler::svcat {
namespace {

std::string joined(const std::string& ns, const std::string& name) { return ns.empty() ? name : ns + "/" + name; }

}  // namespace

std::string claim_class(const json::Value& claim) {
  for (const std::string_view field : {"classReference", "classRef"}) {
    const auto name = text_at(claim, {"spec", field, "name"});
    if (!name.empty()) return joined(text_at(claim, {"spec", field, "namespace"}), name);
  }
  const auto name = text_at(claim, {"status", "resolution", "class", "name"});
  return name.empty() ? "" : joined(text_at(claim, {"status", "resolution", "class", "namespace"}), name);
}

std::string claim_state(const json::Value& claim) {
  auto phase = text_at(claim, {"status", "bindingPhase"});
  if (phase == "Bound" && !is_deleting(claim)) return phase;
  const auto word = readiness_word(claim);
  return word.empty() ? phase : word;
}

std::string claim_resource(const json::Value& claim) {
  for (const auto* found :
       {json::find_path(claim, {"spec", "resourceRef"}), json::find_path(claim, {"status", "resource"})}) {
    if (found == nullptr || text_at(*found, {"name"}).empty()) continue;
    return fmt::format("{} {}", text_at(*found, {"kind"}),
                       joined(text_at(*found, {"namespace"}), text_at(*found, {"name"})));
  }
  return "";
}

std::string claim_secret(const json::Value& claim) { return text_at(claim, {"status", "credentialsSecret", "name"}); }

}  // namespace chandler::svcat
