#include "resolve/provisioner.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "resolve/claim_kinds.h"

namespace chandler::resolve {
namespace {

// Of Kubernetes, and those in which classes and claims live.
bool is_reserved(std::string_view group) {
  return group.find('.') == std::string_view::npos || group.ends_with(".k8s.io") || group == "kubernetes.io" ||
         group.ends_with(".kubernetes.io") || group == "core.crossplane.io";
}

bool is_word(std::string_view text, std::string_view more) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || more.find(c) != std::string_view::npos;
  });
}

}  // namespace

std::optional<Provisioner> parse_provisioner(std::string_view text) {
  Provisioner out;
  const size_t slash = text.find('/');
  const std::string name = to_lower(text.substr(0, slash));
  if (slash != std::string_view::npos) {
    out.version = to_lower(text.substr(slash + 1));
    if (!is_word(out.version, "")) return std::nullopt;
  }
  out.kind = kind_in(name);
  out.group = group_in(name);
  if (!is_word(out.kind, "") || !is_word(out.group, "-.") || out.group.front() == '.' || out.group.back() == '.')
    return std::nullopt;
  return out;
}

bool is_catalog_service(const Provisioner& provisioner) {
  return provisioner.kind == "serviceinstance" && provisioner.group == "servicecatalog.k8s.io";
}

std::string unfit_provisioner(const Provisioner& provisioner) {
  if (is_catalog_service(provisioner)) return "";
  const auto name = claim_kind_name(provisioner.kind, provisioner.group);
  if (is_reserved(provisioner.group)) {
    return fmt::format(
        "objects of kind {} are not made for claims: kinds of Kubernetes and of core.crossplane.io are "
        "not for that; name a kind of a CustomResourceDefinition, or "
        "serviceinstance.servicecatalog.k8s.io/v1beta1",
        name);
  }
  const auto& claims = built_in_claim_kinds();
  if (std::find(claims.begin(), claims.end(), name) != claims.end()) {
    return fmt::format("{} is itself a kind of claim; name the kind of a managed resource", name);
  }
  return "";
}

}  // namespace chandler::resolve
