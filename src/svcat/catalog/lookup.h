// Finding brokers, classes and plans by what people call them. What is not there is an error that says where it was
// looked for and what similar there is; what is there several times is an error that lists all.
#pragma once

#include <string>
#include <vector>

#include "svcat/catalog/scopes.h"

namespace chandler::svcat {

enum class Several {
  kFirstPlace,  // the first place that has it decides, so that the namespace goes before the cluster
  kRefuse,      // the same name in both scopes is ambiguous
};

Result<json::Value> find_broker(Call& call, const std::vector<Place>& places, const std::string& name);
// By external name, or by object name with --kube-name; a name that only fits an object name is accepted too.
Result<json::Value> find_class(Call& call, const std::vector<Place>& places, const std::string& name,
                               Several several = Several::kFirstPlace);
// `name` may be CLASS/PLAN.
Result<json::Value> find_plan(Call& call, const std::vector<Place>& places, const std::string& name,
                              Several several = Several::kFirstPlace);
// A plan of this class.
Result<json::Value> find_plan_of(Call& call, const json::Value& service_class, const std::string& name);
// The class of a plan or instance, by its reference; null value when there is none (any more).
Result<json::Value> class_of(Call& call, const json::Value& object);
Result<json::Value> plan_of(Call& call, const json::Value& instance);
// A named instance, binding or other object of the namespace, or of the cluster where its kind is not in namespaces.
Result<json::Value> find_named(Call& call, const Kind& kind, const std::string& ns, const std::string& name);

// The plan's own type, else that of its class.
std::string effective_type(const json::Value& plan, const json::Value& service_class);

}  // namespace chandler::svcat
