#include <map>
#include <set>

#include <fmt/format.h>

#include "base/time_text.h"
#include "resolve/choose_default.h"
#include "svcat/catalog/fields.h"
#include "svcat/program/doctor.h"

namespace chandler::svcat {
namespace {

constexpr auto kExpiring = std::chrono::hours(7 * 24);

// What instances and bindings have in common.
void check_progress(const json::Value& object, std::string_view noun, std::string_view end_it, WallTime now,
                    Findings& findings) {
  const auto name = fmt::format("{} {}/{}", noun, namespace_of(object), name_of(object));
  const auto explain = fmt::format("svcat explain {} {}{}", noun, name_of(object), place_flag(object));
  if (is_deleting(object) && is_slow(object, {"metadata", "deletionTimestamp"}, now)) {
    findings.push_back({fmt::format("{} has been waiting to be deleted since {}: {}", name,
                                    utc(text_at(object, {"metadata", "deletionTimestamp"})), status_sentence(object)),
                        fmt::format("{}; when its broker is gone for good: svcat {}{} --abandon", explain, end_it,
                                    place_flag(object))});
  } else if (true_at(object, {"status", "orphanMitigationInProgress"})) {
    findings.push_back({fmt::format("{}: what a failed request may have left at the broker is being removed: {}", name,
                                    status_sentence(object)),
                        explain});
  } else if (condition_holds(object, "Failed")) {
    findings.push_back({fmt::format("{} has failed: {}", name, status_sentence(object)), explain});
  } else if (number_at(object, {"status", "retry", "attempts"}) > 3) {
    findings.push_back(
        {fmt::format("{} was tried {} times: {}", name, number_at(object, {"status", "retry", "attempts"}),
                     text_at(object, {"status", "retry", "lastError"})),
         explain});
  } else if (status_word(object).empty() && is_slow(object, {"metadata", "creationTimestamp"}, now)) {
    findings.push_back({fmt::format("{} was never looked at by a controller; does one run?", name), explain});
  } else if (!condition_holds(object, "Ready") && !true_at(object, {"status", "asyncOpInProgress"}) &&
             is_slow(object, {"metadata", "creationTimestamp"}, now)) {
    findings.push_back({fmt::format("{} is not ready: {}", name, status_sentence(object)), explain});
  }
}

std::vector<std::string> names_in(const std::vector<const json::Value*>& plans) {
  std::vector<std::string> names;
  names.reserve(plans.size());
  for (const auto* plan : plans) names.push_back(fmt::format("{} ({})", external_name_of(*plan), name_of(*plan)));
  return names;
}

}  // namespace

std::string place_flag(const json::Value& object) {
  const auto ns = namespace_of(object);
  return ns.empty() ? " --cluster" : fmt::format(" -n {}", ns);
}

bool is_slow(const json::Value& object, Path path, WallTime now) {
  constexpr auto kSlow = std::chrono::minutes(10);  // a deletion or a start that takes longer is worth a look
  const auto time = time_at(object, path);
  return time && now - *time > kSlow;
}

Findings check_brokers(const Objects& brokers) {
  Findings findings;
  for (const auto& broker : brokers) {
    const auto name = name_of(broker);
    if (is_deleting(broker)) {
      findings.push_back({fmt::format("broker {} waits to be deleted: {}", name, status_sentence(broker)),
                          fmt::format("svcat describe broker {}{}", name, place_flag(broker))});
    } else if (!condition_holds(broker, "Ready")) {
      const auto status = status_sentence(broker);
      findings.push_back(
          {fmt::format("broker {} is not ready: {}", name, status.empty() ? "no controller has looked at it" : status),
           fmt::format("svcat describe broker {0}{1}; when it is mended: svcat sync broker {0}{1}", name,
                       place_flag(broker))});
    }
    if (const auto* problems = array_at(broker, {"status", "problems"})) {
      const auto& first = problems->get_array().front();
      findings.push_back(
          {fmt::format("the catalog of broker {} has {} faults, the first: {}", name, problems->get_array().size(),
                       first.is_string() ? std::string(json::view(first.get_string())) : std::string()),
           fmt::format("svcat describe broker {}{}", name, place_flag(broker))});
    }
  }
  return findings;
}

Findings check_defaults(const Objects& plans) {
  struct Type {
    std::vector<const json::Value*> all, defaults, suggested;
  };
  std::map<std::pair<std::string, std::string>, Type> types;  // by namespace ("" the cluster) and type
  for (const auto& plan : plans) {
    if (type_of(plan).empty() || is_removed(plan) || is_deleting(plan)) continue;
    auto& type = types[{namespace_of(plan), type_of(plan)}];
    type.all.push_back(&plan);
    if (is_default(plan)) type.defaults.push_back(&plan);
    if (is_suggested(plan)) type.suggested.push_back(&plan);
  }
  Findings findings;
  for (const auto& [key, type] : types) {
    const auto& [ns, name] = key;
    const auto where = ns.empty() ? std::string("the cluster") : fmt::format("namespace {}", ns);
    const auto cluster = ns.empty() ? types.end() : types.find({"", name});
    // A default of the cluster goes before what is suggested in a namespace.
    const bool overruled = cluster != types.end() && !cluster->second.defaults.empty();
    const auto helps = fmt::format("svcat set plan {}{} --kube-name --default", name_of(*type.all.front()),
                                   ns.empty() ? " --cluster" : fmt::format(" -n {}", ns));
    if (type.defaults.size() > 1) {
      findings.push_back({fmt::format("type {} has {} default plans in {}, so it cannot be used alone: {}", name,
                                      type.defaults.size(), where, resolve::list_names(names_in(type.defaults))),
                          helps});
    } else if (type.defaults.empty() && type.suggested.size() > 1 && !overruled) {
      findings.push_back({fmt::format("type {} has no default plan and {} suggested ones in {}: {}", name,
                                      type.suggested.size(), where, resolve::list_names(names_in(type.suggested))),
                          helps});
    } else if (type.defaults.empty() && type.suggested.empty()) {
      const bool covered =
          cluster != types.end() && (cluster->second.defaults.size() == 1 || cluster->second.suggested.size() == 1);
      if (covered) continue;
      findings.push_back(
          {fmt::format("type {} has no default plan in {}: people must name class and plan", name, where), helps});
    }
  }
  return findings;
}

Findings check_orphans(const Objects& classes, const Objects& brokers) {
  std::set<std::string> known;  // "namespace/name"; the cluster is ""
  for (const auto& broker : brokers) known.insert(namespace_of(broker) + "/" + name_of(broker));
  Findings findings;
  for (const auto& one : classes) {
    const auto of_cluster = text_at(one, {"spec", "clusterServiceBrokerName"});
    const auto key = of_cluster.empty() ? namespace_of(one) + "/" + broker_of(one) : "/" + of_cluster;
    if (broker_of(one).empty() || known.contains(key)) continue;
    const auto kind = scope_of(one) == Scope::kCluster ? "clusterserviceclass" : "serviceclass";
    findings.push_back(
        {fmt::format("class {} ({}) belongs to broker {}, which does not exist: nothing can be provisioned from it",
                     external_name_of(one), scope_cell(one), broker_of(one)),
         fmt::format("svcat register {}{} --url URL, or: kubectl delete {} {}{}", broker_of(one),
                     of_cluster.empty() ? place_flag(one) : " --cluster", kind, name_of(one),
                     namespace_of(one).empty() ? "" : place_flag(one))});
  }
  return findings;
}

Findings check_instances(const Objects& instances, WallTime now) {
  Findings findings;
  for (const auto& instance : instances) {
    check_progress(instance, "instance", fmt::format("deprovision {}", name_of(instance)), now, findings);
  }
  return findings;
}

Findings check_bindings(const Objects& bindings, WallTime now) {
  Findings findings;
  for (const auto& binding : bindings) {
    check_progress(binding, "binding", fmt::format("unbind --name {}", name_of(binding)), now, findings);
    const auto expires = time_at(binding, {"status", "expirationTime"});
    if (!expires || *expires - now > kExpiring) continue;
    findings.push_back(
        {fmt::format("the credentials of binding {}/{} {} {}", namespace_of(binding), name_of(binding),
                     *expires < now ? "expired" : "expire", utc(text_at(binding, {"status", "expirationTime"}))),
         fmt::format("svcat explain binding {}{}; a new one: svcat bind {}{} --name NEW", name_of(binding),
                     place_flag(binding), text_at(binding, {"spec", "instanceRef", "name"}), place_flag(binding))});
  }
  return findings;
}

Findings check_abandoned(const Objects& records) {
  Findings findings;
  for (const auto& record : records) {
    const auto binding = text_at(record, {"data", "bindingID"});
    findings.push_back({fmt::format("broker {} may still have {} {} of {}/{}, abandoned @ {}",
                                    text_at(record, {"data", "broker"}), binding.empty() ? "instance" : "binding",
                                    binding.empty() ? text_at(record, {"data", "instanceID"}) : binding,
                                    text_at(record, {"data", "namespace"}), text_at(record, {"data", "name"}),
                                    utc(text_at(record, {"data", "time"}))),
                        fmt::format("clean up at the broker, then: kubectl delete configmap {} -n {}", name_of(record),
                                    namespace_of(record))});
  }
  return findings;
}

}  // namespace chandler::svcat
