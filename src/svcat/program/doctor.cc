// svcat doctor
#include "svcat/program/doctor.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "svcat/call.h"
#include "svcat/catalog/fields.h"
#include "svcat/claims/claim_kinds.h"
#include "svcat/commands.h"

namespace chandler::svcat {
namespace {

constexpr std::string_view kRecordNamespace = "kube-system";

// Lists, and takes note of what the user may not see.
class Examiner {
 public:
  Examiner(Call& call, Catalog& catalog) : call_(call), catalog_(catalog) {}

  Result<Objects> list(const Kind& kind, std::string_view ns, std::string_view label = "") {
    auto found = catalog_.list(kind, ns, {}, label);
    if (found.ok()) {
      checked_ += found->size();
      return found;
    }
    if (found.error().reason != Reason::kForbidden) return found;
    saw_all_ = false;
    call_.hint(fmt::format("Not checked, because you may not list them: {}", kind.resource.plural));
    return Objects();
  }
  void report(const Findings& findings) {
    for (const auto& finding : findings) {
      fmt::print(call_.out(), "{} {}\n    {}\n", call_.style().paint("*", Color::kRed), printable(finding.what),
                 printable(finding.helps));
    }
    found_ += findings.size();
  }
  bool saw_all() const { return saw_all_; }
  size_t checked() const { return checked_; }
  size_t found() const { return found_; }

 private:
  Call& call_;
  Catalog& catalog_;
  bool saw_all_ = true;
  size_t checked_ = 0;
  size_t found_ = 0;
};

void append(Objects& all, Objects more) {
  for (auto& one : more) all.push_back(std::move(one));
}

// A kind that the server does not have is nothing to complain about.
Kind where_served(Kind kind) {
  kind.optional = true;
  return kind;
}

Result<void> examine_families(Call& call, Examiner& examiner, const std::string& ns, WallTime now) {
  CH_TRY_LET(usage_kinds, examiner.list(where_served(usage_kinds_kind()), ""));
  examiner.report(check_usage_kinds(usage_kinds));
  CH_TRY_LET(usages, examiner.list(where_served(usages_kind()), ns));
  examiner.report(check_usages(usages, now));
  CH_TRY_LET(kinds_of_claims, claim_kinds(call));
  for (const auto& kind : kinds_of_claims) {
    CH_TRY_LET(claims, examiner.list(where_served(kind.served.kind()), ns));
    examiner.report(check_claims(claims, kind.qualified(), now));
  }
  CH_TRY_LET(volume_claims, examiner.list(where_served(volume_claims_kind()), ns));
  examiner.report(check_volume_claims(volume_claims, now));
  return {};
}

Result<int> run_doctor(Call& call) {
  CH_TRY_LET(catalog, call.catalog());
  CH_TRY_LET(own, call.ns());
  const auto ns = call.is_set("all-namespaces") ? std::string() : own;
  const auto now = call.env().clock.now();
  Examiner examiner(call, *catalog);
  Objects brokers, classes, plans;
  for (const auto scope : {Scope::kCluster, Scope::kNamespace}) {
    CH_TRY_LET(some_brokers, examiner.list(names_of(scope).brokers, ns));
    CH_TRY_LET(some_classes, examiner.list(names_of(scope).classes, ns));
    CH_TRY_LET(some_plans, examiner.list(names_of(scope).plans, ns));
    append(brokers, std::move(some_brokers));
    append(classes, std::move(some_classes));
    append(plans, std::move(some_plans));
  }
  examiner.report(check_brokers(brokers));
  if (examiner.saw_all()) examiner.report(check_orphans(classes, brokers));
  examiner.report(check_defaults(plans));
  CH_TRY_LET(instances, examiner.list(instances_kind(), ns));
  examiner.report(check_instances(instances, now));
  CH_TRY_LET(bindings, examiner.list(bindings_kind(), ns));
  examiner.report(check_bindings(bindings, now));
  CH_TRY(examine_families(call, examiner, ns, now));
  CH_TRY_LET(records, examiner.list(config_maps_kind(), kRecordNamespace, fmt::format("{}=true", kAbandonedLabel)));
  examiner.report(check_abandoned(records));
  if (examiner.found() == 0) {
    fmt::print(call.out(), "Nothing is wrong: {} objects were checked.\n", examiner.checked());
    return 0;
  }
  fmt::print(call.out(), "{} found in {} objects.\n",
             examiner.found() == 1 ? "1 problem" : fmt::format("{} problems", examiner.found()), examiner.checked());
  return 1;
}

}  // namespace

Command doctor() {
  return {.verb = "doctor",
          .summary = "Find what is stuck or misconfigured, with the command that helps",
          .details =
              "Looks at brokers that fail or are gone, types without a default plan or with several, instances, "
              "bindings and usages\nthat are stuck, credentials that expire within a week, claims without a class, "
              "volume claims without a volume, and what was\nabandoned at brokers. Exit code 1 when something was "
              "found.",
          .examples = {"doctor", "doctor --all-namespaces"},
          .flags = {namespace_flag(), all_namespaces_flag()},
          .run = run_doctor};
}

}  // namespace chandler::svcat
