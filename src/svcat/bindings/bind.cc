// svcat bind
#include <fmt/format.h>

#include "svcat/bindings/describe.h"
#include "svcat/bindings/request.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/input.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/output/format.h"
#include "svcat/wait.h"

namespace chandler::svcat {
namespace {

Result<void> show(Call& call, const json::Value& binding) {
  CH_TRY_LET(format, parse_format(call.flag("output")));
  if (!format.is_table()) return print_object(call.out(), format, binding);
  Details details(call.out(), call.style());
  describe_binding_to(details, binding);
  return {};
}

Result<int> run_bind(Call& call) {
  CH_TRY(parse_format(call.flag("output")));
  CH_TRY(call.duration("timeout"));
  CH_TRY_LET(request, binding_request(call));
  if (call.is_set("dry-run")) return show_binding_request(call, request);
  CH_TRY_LET(catalog, call.catalog());
  CH_TRY_LET(created, catalog->create(bindings_kind(), request.ns, request.object));
  if (!call.is_set("wait")) {
    CH_TRY(show(call, created));
    return 0;
  }
  CH_TRY_LET(waited, wait_until_settled(call, bindings_kind(), request.ns, name_of(created)));
  if (waited.how == Waited::kInterrupted) return kInterruptedCode;
  if (waited.how == Waited::kGone)
    return bad_request(fmt::format("binding {} was deleted meanwhile", name_of(created)));
  CH_TRY(show(call, waited.object));
  if (waited.how == Waited::kFailed) {
    return bad_request(fmt::format("binding {} failed; the whole story: svcat explain binding {} -n {}",
                                   name_of(created), name_of(created), request.ns));
  }
  return 0;
}

}  // namespace

Result<BindingRequest> binding_request(Call& call) {
  CH_TRY_LET(parameters, read_parameters(call));  // faults of the flags come before any request
  CH_TRY_LET(from, read_parameters_from(call));
  CH_TRY_LET(transforms, read_transforms(call));
  const auto instance_name = call.argument(0);
  const auto name = call.flag("name");
  BindingRequest request;
  CH_TRY_LET(ns, call.ns());
  request.ns = ns;
  CH_TRY_LET(instance, find_named(call, instances_kind(), ns, instance_name));
  request.instance = std::move(instance);
  json::Object spec{{"instanceRef", json::Object{{"name", instance_name}}}};
  if (const auto id = call.flag("external-id"); !id.empty()) spec["externalID"] = id;
  if (const auto secret = call.flag("secret-name"); !secret.empty()) spec["secretName"] = secret;
  if (!parameters.empty()) spec["parameters"] = std::move(parameters);
  if (!from.empty()) spec["parametersFrom"] = std::move(from);
  if (call.given("secret-transform")) spec["secretTransform"] = std::move(transforms);  // [] opts out of the defaults
  json::Object metadata{{"name", name.empty() ? instance_name : name}, {"namespace", ns}};
  request.object = json::Object{{"apiVersion", kCatalogVersion},
                                {"kind", bindings_kind().name},
                                {"metadata", std::move(metadata)},
                                {"spec", std::move(spec)}};
  return request;
}

Command bind() {
  return {.verb = "bind",
          .arguments = "INSTANCE",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Get credentials for an instance into a secret",
          .details =
              "The binding is named like the instance unless --name says otherwise, and the secret like the binding. "
              "--dry-run shows what\nwould be asked for and where each value comes from.",
          .examples = {"bind mydb --wait",
                       "bind mydb --name mydb-admin --param user=admin --secret-transform db-name=database",
                       "bind mydb --dry-run"},
          .flags = flags_of(
              {{{"name", 0, "NAME", "Name of the binding"},
                {"secret-name", 0, "NAME", "Name of the secret"},
                {"external-id", 0, "ID", "Identifier at the broker; made up when left out"},
                {"secret-transform", 0, "TRANSFORM",
                 "Change of the credentials: FROM=TO renames a key, or a JSON list, or @FILE; [] opts out of defaults",
                 "", true}},
               parameter_flags(),
               {{"dry-run", 0, "", "Only show what would be asked for"}, namespace_flag(), output_flag()},
               wait_flags()}),
          .offer = Offer::kInstances,
          .run = run_bind};
}

}  // namespace chandler::svcat
