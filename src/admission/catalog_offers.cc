// Classes and plans, of the cluster and of a namespace.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "admission/catalog_metadata.h"
#include "admission/catalog_parameters.h"
#include "admission/catalog_requester.h"
#include "admission/catalog_transforms.h"
#include "admission/fields.h"
#include "admission/kind_rules.h"
#include "base/text.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kDefaultTransform = "defaultSecretTransform";
constexpr std::string_view kBrokerOfCluster = "clusterServiceBrokerName";
constexpr size_t kMaxName = 63;

// An offer may be made piece by piece, as in the design's own examples; until it is complete it serves nobody.
void warn_of_missing(const Context& context, std::string_view field, std::string_view what) {
  if (context.warnings == nullptr) return;
  context.warnings->push_back(
      fmt::format("spec.{} ({}) is missing: nothing can be provisioned with it until it is there", field, what));
}

// Fields of which an object of the cluster has the first, and one in a namespace exactly one.
struct Choice {
  std::string_view of_cluster;
  std::string_view of_namespace;
  std::string_view what;
};

void check_choice(const Context& context, const json::Value& spec, const Choice& choice, bool needed,
                  meta::FieldErrors& errors) {
  const meta::Path path("spec");
  const bool cluster = filled(spec, choice.of_cluster);
  const bool local = filled(spec, choice.of_namespace);
  if (!context.namespaced) {
    if (local) {
      errors.forbidden(path.member(choice.of_namespace),
                       fmt::format("an object of the cluster has {} instead", choice.of_cluster));
    }
    if (!cluster && needed) warn_of_missing(context, choice.of_cluster, choice.what);
  } else if (cluster && local) {
    errors.forbidden(path.member(choice.of_cluster),
                     fmt::format("give either this or {}, not both", choice.of_namespace));
  } else if (!cluster && !local && needed) {
    warn_of_missing(context, choice.of_namespace,
                    fmt::format("{}; {} is the other way to say it", choice.what, choice.of_cluster));
  }
}

void check_offer(const Context& context, meta::FieldErrors& errors) {
  const auto& object = *context.object;
  const auto& spec = member(object, "spec");
  const meta::Path path("spec");
  if (const auto name = name_of(object); context.old == nullptr && name.size() > kMaxName) {
    errors.too_long(meta::Path("metadata").member("name"), kMaxName);
  }
  const bool adopted = awaits_adoption(object);
  // A relist adopts by the ID, so this much must be there.
  if (adopted && !present(spec, "externalID")) {
    errors.required(path.member("externalID"), "the ID that the broker knows it by");
  }
  const bool complete = !adopted;
  if (complete && !present(spec, "externalID")) {
    warn_of_missing(context, "externalID", "the ID that the broker knows it by");
  }
  if (complete && !present(spec, "externalName")) {
    warn_of_missing(context, "externalName", "the name that users know it by");
  }
  check_choice(context, spec, {"clusterServiceBrokerName", "serviceBrokerName", "the broker that provides it"},
               complete, errors);
  check_parameters(context, "defaultProvisionParameters", errors);
  check_parameters(context, "defaultBindingParameters", errors);
  check_transforms(object, kDefaultTransform, errors);
}

// The broker of the cluster offers something with that ID, to everybody.
bool is_offered(const Context& context, std::string_view broker, std::string_view id) {
  if (context.lookup == nullptr) return false;
  const std::string_view plural = context.plural == "serviceplans" ? "clusterserviceplans" : "clusterserviceclasses";
  const auto found = context.lookup->list_by(kCatalogGroup, plural, "spec.externalID", id);
  return std::any_of(found.begin(), found.end(), [&](const registry::DocumentPtr& document) {
    const auto offer = document->parse();
    return json::string_or(member(offer, "spec"), kBrokerOfCluster) == broker &&
           !json::bool_at(member(offer, "status"), "removedFromBrokerCatalog").value_or(false);
  });
}

// A class or plan of one namespace may stand for what a broker of the cluster offers, with defaults of its own. What
// the operator keeps out of the broker's catalog comes back through no namespace: only who may change the broker may
// name other IDs.
Result<void> permit_ids(const Context& context) {
  if (!context.namespaced || by_catalog_controller(context)) return {};
  const auto& spec = member(*context.object, "spec");
  const auto broker = json::string_or(spec, kBrokerOfCluster);
  const auto id = json::string_or(spec, "externalID");
  if (broker.empty() || id.empty()) return {};
  if (context.old != nullptr) {
    const auto& before = member(*context.old, "spec");
    if (same(spec, before, kBrokerOfCluster) && same(spec, before, "externalID")) return {};
  }
  if (is_offered(context, broker, id)) return {};
  if (requester_may_in_cluster(context, "update", "clusterservicebrokers", broker)) return {};
  auto error =
      refusal(context,
              fmt::format("spec.externalID: ClusterServiceBroker {} offers nothing with the ID {} here; use an ID that "
                          "it offers (svcat get {}), or have somebody write this who may update the broker",
                          quoted(broker), quoted(id), context.plural == "serviceplans" ? "plans" : "classes"));
  error.causes.push_back({"FieldValueForbidden", "not offered by the broker", "spec.externalID"});
  return fail(std::move(error));
}

}  // namespace

void default_service_class(Context& context) {
  static const HashedFields fields{"externalID", "externalName", "clusterServiceBrokerName", "serviceBrokerName"};
  fields.label(context);
}

void default_service_plan(Context& context) {
  static const HashedFields fields{"externalID",
                                   "externalName",
                                   "clusterServiceBrokerName",
                                   "serviceBrokerName",
                                   "clusterServiceClassRef.name",
                                   "serviceClassRef.name"};
  fields.label(context);
}

void check_service_class(const Context& context, meta::FieldErrors& errors) { check_offer(context, errors); }

void check_service_plan(const Context& context, meta::FieldErrors& errors) {
  check_offer(context, errors);
  const auto& object = *context.object;
  const auto& spec = member(object, "spec");
  const meta::Path path("spec");
  const std::string_view own = context.namespaced ? "serviceClassRef" : "clusterServiceClassRef";
  const std::string_view other = context.namespaced ? "clusterServiceClassRef" : "serviceClassRef";
  if (filled(spec, other)) {
    errors.forbidden(path.member(other), fmt::format("class and plan are both of the cluster or both of the namespace; "
                                                     "use {}, with a copy of the class if there is none",
                                                     own));
  }
  if (!filled(spec, own) && !awaits_adoption(object)) {
    errors.required(path.member(own), "the class that the plan belongs to");
  }
}

// A default that copies from a secret hands its content to every binding; only who may read it can do that.
Result<void> permit_offer(const Context& context) {
  CH_TRY(permit_ids(context));
  const auto before =
      context.old == nullptr ? std::vector<SecretUse>() : transform_secrets(*context.old, kDefaultTransform);
  return permit_secrets(context, transform_secrets(*context.object, kDefaultTransform), before);
}

}  // namespace chandler::admission
