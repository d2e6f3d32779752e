#include "svcat/claims/claim_kinds.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/gvk.h"
#include "resolve/choose_default.h"
#include "resolve/claim_kinds.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"

namespace chandler::svcat {
namespace {

ClaimKind make(std::string name, std::string group, std::string version, std::string plural) {
  ClaimKind out;
  out.served.name = std::move(name);
  out.served.api_version = group + "/" + version;
  out.served.noun = to_lower(out.served.name);
  out.served.resource = {std::move(group), std::move(version), std::move(plural)};
  out.words = {out.served.noun, out.served.resource.plural};
  return out;
}

ClaimKind known(std::string name, std::string group, std::string short_name) {
  auto plural = to_lower(name) + "s";
  auto out = make(std::move(name), std::move(group), "v1alpha1", std::move(plural));
  out.words.push_back(std::move(short_name));
  return out;
}

// Of the versions that are served, the one that the server prefers.
std::string version_of(const json::Value& definition) {
  std::string best;
  const auto* versions = array_at(definition, {"spec", "versions"});
  if (versions == nullptr) return best;
  for (const auto& version : versions->get_array()) {
    auto name = text_at(version, {"name"});
    if (true_at(version, {"served"}) && (best.empty() || meta::version_before(name, best))) best = std::move(name);
  }
  return best;
}

bool is_same(const ClaimKind& a, const ClaimKind& b) { return a.served.qualified() == b.served.qualified(); }

bool is_called(const ClaimKind& kind, std::string_view word) {
  return std::any_of(kind.words.begin(), kind.words.end(), [&](const std::string& name) {
    return name == word || name + "." + kind.served.resource.group == word;
  });
}

}  // namespace

std::string ClaimKind::qualified() const { return resolve::claim_kind_name(served.name, served.resource.group); }

const std::vector<ClaimKind>& known_claim_kinds() {
  static const std::vector<ClaimKind> kinds = {known("Bucket", "storage.crossplane.io", "bucketclaim"),
                                               known("DynamoDBInstance", "storage.crossplane.io", "dynamodbclaim"),
                                               known("MySQLInstance", "storage.crossplane.io", "mysqlclaim"),
                                               known("NoSQLInstance", "storage.crossplane.io", "nosqlclaim"),
                                               known("PostgreSQLInstance", "storage.crossplane.io", "pgclaim"),
                                               known("RedisCluster", "cache.crossplane.io", "redisclaim")};
  return kinds;
}

Result<std::vector<ClaimKind>> claim_kinds(Call& call) {
  CH_TRY_LET(catalog, call.catalog());
  auto kinds = known_claim_kinds();
  auto definitions = catalog->list(definitions_kind(), "", {}, fmt::format("{}=true", resolve::kClaimLabel));
  if (!definitions.ok()) {
    const auto reason = definitions.error().reason;
    if (reason != Reason::kForbidden && reason != Reason::kNotFound) return std::move(definitions).error();
    definitions = std::vector<json::Value>();
  }
  for (const auto& definition : *definitions) {
    const auto version = version_of(definition);
    if (version.empty()) continue;
    auto kind = make(text_at(definition, {"spec", "names", "kind"}), text_at(definition, {"spec", "group"}), version,
                     text_at(definition, {"spec", "names", "plural"}));
    kind.served.namespaced = text_at(definition, {"spec", "scope"}) != "Cluster";
    if (const auto* names = array_at(definition, {"spec", "names", "shortNames"})) {
      for (const auto& name : names->get_array()) {
        if (name.is_string()) kind.words.emplace_back(json::view(name.get_string()));
      }
    }
    const bool seen = std::any_of(kinds.begin(), kinds.end(), [&](const ClaimKind& one) { return is_same(one, kind); });
    if (!seen && kind.served.namespaced) kinds.push_back(std::move(kind));
  }
  return kinds;
}

Result<ClaimKind> find_claim_kind(Call& call, const std::string& word) {
  const auto name = to_lower(word);
  for (const auto& kind : known_claim_kinds()) {
    if (is_called(kind, name)) return kind;  // without a question to the server
  }
  CH_TRY_LET(kinds, claim_kinds(call));
  std::vector<std::string_view> words;
  std::vector<std::string> names, fitting;
  const ClaimKind* found = nullptr;
  for (const auto& kind : kinds) {
    names.push_back(kind.served.name);
    for (const auto& one : kind.words) words.push_back(one);
    if (!is_called(kind, name)) continue;
    found = &kind;
    fitting.push_back(kind.qualified());
  }
  if (found != nullptr && fitting.size() == 1) return *found;
  if (fitting.size() > 1) {
    return bad_request(fmt::format("{} kinds of claims are called {}: {}; name one of them", fitting.size(),
                                   quoted(word), resolve::list_names(fitting)));
  }
  const auto near = nearest(name, words);
  return bad_request(fmt::format(
      "there is no kind of claim {}; {}", quoted(word),
      near.empty() ? fmt::format("there are {}", resolve::list_names(names)) : fmt::format("did you mean {}?", near)));
}

Result<NamedClaim> find_claim(Call& call) {
  CH_TRY_LET(kind, find_claim_kind(call, call.argument(0)));
  CH_TRY_LET(ns, call.ns());
  auto served = kind.served.kind();
  served.nouns = "claims";
  CH_TRY_LET(object, find_named(call, served, ns, call.argument(1)));
  return NamedClaim{std::move(kind), std::move(object)};
}

}  // namespace chandler::svcat
