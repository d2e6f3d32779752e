// svcat provision
#include <fmt/format.h>

#include "svcat/catalog/fields.h"
#include "svcat/commands.h"
#include "svcat/instances/describe.h"
#include "svcat/instances/request.h"
#include "svcat/output/format.h"
#include "svcat/wait.h"

namespace chandler::svcat {
namespace {

Result<void> show(Call& call, const json::Value& instance) {
  CH_TRY_LET(format, parse_format(call.flag("output")));
  if (!format.is_table()) return print_object(call.out(), format, instance);
  Details details(call.out(), call.style());
  describe_instance_to(call, details, instance, class_shown(instance), plan_shown(instance));
  return {};
}

Result<int> run_provision(Call& call) {
  CH_TRY(parse_format(call.flag("output")));
  CH_TRY(call.duration("timeout"));
  CH_TRY_LET(request, instance_request(call));
  if (call.is_set("dry-run")) return show_instance_request(call, request);
  CH_TRY_LET(catalog, call.catalog());
  CH_TRY_LET(created, catalog->create(instances_kind(), request.ns, request.object));
  if (!call.is_set("wait")) {
    CH_TRY(show(call, created));
    return 0;
  }
  CH_TRY_LET(waited, wait_until_settled(call, instances_kind(), request.ns, name_of(created)));
  if (waited.how == Waited::kInterrupted) return kInterruptedCode;
  if (waited.how == Waited::kGone)
    return bad_request(fmt::format("instance {} was deleted meanwhile", name_of(created)));
  CH_TRY(show(call, waited.object));
  if (waited.how == Waited::kFailed) {
    return bad_request(
        fmt::format("instance {} could not be provisioned; the whole story: svcat explain instance {} -n {}",
                    name_of(created), name_of(created), request.ns));
  }
  return 0;
}

}  // namespace

Command provision() {
  return {.verb = "provision",
          .arguments = "NAME",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Make an instance of a service",
          .details =
              "A type alone is enough where it has a default plan; a class alone where it has one plan, or a default "
              "plan. Parameters that\nare not given come from the defaults of plan and class. --dry-run shows what "
              "would be asked for and where each value\ncomes from.",
          .examples = {"provision mydb --type mysql --param location=westus --wait",
                       "provision mydb --class azure-mysql --plan basic50 --params-json '{\"size\": 3}'",
                       "provision mydb --type mysql --dry-run"},
          .flags = flags_of({{{"type", 0, "TYPE", "Type of service, such as mysql", "", false, Offer::kTypes},
                              {"class", 0, "NAME", "Class of the service", "", false, Offer::kClasses},
                              {"plan", 0, "NAME", "Plan of the class", "", false, Offer::kPlans},
                              {"external-id", 0, "ID", "Identifier at the broker; made up when left out"}},
                             parameter_flags(),
                             {{"dry-run", 0, "", "Only show what would be asked for"},
                              cluster_flag(),
                              scope_flag(),
                              namespace_flag(),
                              kube_name_flag(),
                              output_flag()},
                             wait_flags()}),
          .run = run_provision};
}

}  // namespace chandler::svcat
