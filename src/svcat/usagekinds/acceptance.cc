#include "svcat/usagekinds/acceptance.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "svcat/catalog/access.h"
#include "svcat/catalog/fields.h"
#include "svcat/usagekinds/openapi_document.h"
#include "svcat/usagekinds/round_trip.h"
#include "svcat/usagekinds/sample_workload.h"
#include "svcat/usages/workload.h"

namespace chandler::svcat {
namespace {

// What the controller itself insists on (UsageKind condition Accessible).
constexpr std::string_view kControllerVerbs[] = {"get", "update"};
constexpr std::string_view kServiceAccount = "system:serviceaccount:";

json::Object subject_of(const std::string& user) {
  if (!user.starts_with(kServiceAccount)) {
    return {{"kind", "User"}, {"apiGroup", "rbac.authorization.k8s.io"}, {"name", user}};
  }
  const auto parts = split(std::string_view(user).substr(kServiceAccount.size()), ':');
  return {{"kind", "ServiceAccount"}, {"namespace", parts.front()}, {"name", parts.back()}};
}

json::Array roles_for(const std::string& user, const DiscoveredKind& kind) {
  const auto name = fmt::format("binding-usage-{}", kind.resource.plural);
  json::Object rule{{"apiGroups", json::Array{kind.resource.group}},
                    {"resources", json::Array{kind.resource.plural}},
                    {"verbs", json::Array(std::begin(kControllerVerbs), std::end(kControllerVerbs))}};
  json::Array roles;
  roles.push_back(json::Object{{"apiVersion", "rbac.authorization.k8s.io/v1"},
                               {"kind", "ClusterRole"},
                               {"metadata", json::Object{{"name", name}}},
                               {"rules", json::Array{std::move(rule)}}});
  roles.push_back(json::Object{
      {"apiVersion", "rbac.authorization.k8s.io/v1"},
      {"kind", "ClusterRoleBinding"},
      {"metadata", json::Object{{"name", name}}},
      {"roleRef", json::Object{{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", name}}},
      {"subjects", json::Array{subject_of(user)}}});
  return roles;
}

}  // namespace

std::string_view outcome_word(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed:
      return "passed";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kNotTested:
      return "not tested";
  }
  return "";
}

Acceptance::Acceptance(Catalog& catalog, const json::Value& usage_kind, AcceptanceOptions options)
    : catalog_(catalog), usage_kind_(usage_kind), options_(std::move(options)) {}

void Acceptance::add(std::string_view name, Outcome outcome, std::string message) {
  checks_.push_back({std::string(name), outcome, std::move(message)});
}

bool Acceptance::passed() const {
  return std::all_of(checks_.begin(), checks_.end(),
                     [](const Check& check) { return check.outcome == Outcome::kPassed; });
}

Result<void> Acceptance::run() {
  CH_TRY(find_kind());
  read_path();
  if (kind_) {
    CH_TRY(check_controller_rights());
    CH_TRY(check_own_rights());
  }
  if (kind_ && path_) {
    CH_TRY(check_schema());
    CH_TRY(check_round_trip());
  }
  return {};
}

Result<void> Acceptance::find_kind() {
  const auto group = text_at(usage_kind_, {"spec", "resource", "group"});
  const auto version = text_at(usage_kind_, {"spec", "resource", "version"});
  const auto word = text_at(usage_kind_, {"spec", "resource", "kind"});
  CH_TRY_LET(found, discover_workload(catalog_, usage_kind_));
  if (!found) {
    add("kind", Outcome::kFailed,
        fmt::format("the server does not serve a kind {} in API group {}; create its CustomResourceDefinition, or "
                    "correct spec.resource",
                    quoted(word), quoted(group)));
  } else if (!found->namespaced) {
    add("kind", Outcome::kFailed,
        fmt::format("{} are not in namespaces, and a usage finds its workload in its own namespace",
                    found->qualified()));
  } else {
    add("kind", Outcome::kPassed,
        fmt::format(
            "{} {}{}", found->api_version, found->resource.plural,
            found->exact_version ? "" : fmt::format("; version {} is not served, so this one is used", version)));
    kind_ = std::move(found);
  }
  return {};
}

void Acceptance::read_path() {
  auto path = resolve::LabelPath::parse(text_at(usage_kind_, {"spec", "labelsPath"}));
  if (!path.ok()) return add("labels path", Outcome::kFailed, path.error().message);
  add("labels path", Outcome::kPassed, path->str());
  path_ = std::move(path).value();
}

Result<void> Acceptance::check_controller_rights() {
  constexpr std::string_view kName = "rights of the controller";
  std::vector<std::string> missing;
  for (const auto verb : kControllerVerbs) {
    auto allowed = is_allowed(catalog_, {options_.controller, std::string(verb), kind_->resource, ""});
    if (!allowed.ok() && allowed.error().reason == Reason::kForbidden) {
      ask_the_status(allowed.error());
      return {};
    }
    if (!allowed.ok()) return std::move(allowed).error();
    if (!*allowed) missing.emplace_back(verb);
  }
  if (missing.empty()) {
    add(kName, Outcome::kPassed, fmt::format("{} may get and update {}", options_.controller, kind_->qualified()));
    return {};
  }
  add(kName, Outcome::kFailed,
      fmt::format("{} may not {} {}; the roles below grant it", options_.controller, join(missing, " and "),
                  kind_->qualified()));
  roles_ = roles_for(options_.controller, *kind_);
  return {};
}

void Acceptance::ask_the_status(const Error& why) {
  constexpr std::string_view kName = "rights of the controller";
  const auto* accessible = condition_of(usage_kind_, "Accessible");
  const auto status = accessible == nullptr ? std::string() : text_at(*accessible, {"status"});
  if (status == "True") {
    add(kName, Outcome::kPassed, "as the controller itself says in the status of the usagekind");
  } else if (accessible != nullptr && status == "False") {
    add(kName, Outcome::kFailed, text_at(*accessible, {"message"}));
  } else {
    add(kName, Outcome::kNotTested,
        fmt::format("you may not ask about the rights of {}: {}", options_.controller, why.message));
  }
}

Result<void> Acceptance::check_own_rights() {
  constexpr std::string_view kName = "your rights";
  std::vector<std::string> needed{"create"};
  if (!options_.resource.empty()) needed = {"get", "update"};
  needed.emplace_back("list");
  std::vector<std::string> missing;
  for (const auto& verb : needed) {
    CH_TRY_LET(allowed, is_allowed(catalog_, {"", verb, kind_->resource, options_.ns}));
    if (!allowed) missing.push_back(verb);
  }
  const auto where = fmt::format("{} in namespace {}", kind_->qualified(), options_.ns);
  may_try_ = missing.empty() || missing == std::vector<std::string>{"list"};
  if (missing.empty()) {
    add(kName, Outcome::kPassed, fmt::format("you may {} {}", join(needed, ", "), where));
  } else if (may_try_) {
    add(kName, Outcome::kFailed, fmt::format("you may not list {}, so a console would not show them to you", where));
  } else {
    add(kName, Outcome::kNotTested,
        fmt::format("you may not {} {}, so no dry run can be made; run the test as somebody who may",
                    join(missing, ", "), where));
  }
  return {};
}

Result<void> Acceptance::check_schema() {
  constexpr std::string_view kName = "schema";
  CH_TRY_LET(document, openapi_document(catalog_, *kind_));
  document_ = std::move(document);
  const auto schema = document_.is_null() ? json::Value() : schema_along(document_, *kind_, *path_);
  if (schema.is_null()) {
    add(kName, Outcome::kNotTested, fmt::format("the server does not tell the schema of {}", kind_->qualified()));
    return {};
  }
  const auto verdict = resolve::judge_label_path(schema, *path_);
  const bool found = verdict.kind == resolve::PathVerdict::Kind::kFound;
  add(kName, found ? Outcome::kPassed : Outcome::kFailed,
      found ? fmt::format("{} of {} can hold labels", path_->str(), kind_->name) : verdict.message);
  return {};
}

Result<void> Acceptance::check_round_trip() {
  constexpr std::string_view kInject = "injecting (dry run)";
  constexpr std::string_view kRemove = "removing (dry run)";
  if (!may_try_) {
    add(kInject, Outcome::kNotTested, "you lack the rights");
    add(kRemove, Outcome::kNotTested, "you lack the rights");
    return {};
  }
  RoundTrip trip(catalog_, *kind_, *path_);
  if (!options_.resource.empty()) {
    CH_TRY(trip.try_existing(options_.ns, options_.resource));
  } else {
    const bool by_user = !options_.sample.is_null();
    CH_TRY(trip.try_sample(options_.ns, by_user ? options_.sample : sample_workload(*kind_, document_), by_user));
  }
  add(kInject, trip.injecting().outcome, trip.injecting().message);
  add(kRemove, trip.removing().outcome, trip.removing().message);
  return {};
}

}  // namespace chandler::svcat
