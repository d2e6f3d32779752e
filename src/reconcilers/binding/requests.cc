#include "reconcilers/binding/requests.h"

#include "reconcilers/catalog/endpoint.h"

namespace chandler::reconcilers {
namespace {

osb::Call call_about(const BindingView& binding, osb::Method method) {
  osb::Call call;
  call.method = method;
  call.instance_id = binding.instance_id();
  call.binding_id = binding.id();
  call.originating_identity = identity_of(binding.requester());
  if (method != osb::Method::kBind) {
    const auto target = binding.target();
    call.service_id = target.service_id;
    call.plan_id = target.plan_id;
  }
  return call;
}

}  // namespace

osb::Call bind_call(const BindingView& binding, const json::Value& parameters, std::string_view space, bool async,
                    const Settings& settings) {
  auto call = call_about(binding, osb::Method::kBind);
  call.accepts_incomplete = async;
  const auto target = binding.target();
  json::Object body;
  body["service_id"] = text(target.service_id);
  body["plan_id"] = text(target.plan_id);
  // Who is bound is not an application but a namespace, and brokers know it by that. The old app_guid beside
  // bind_resource is for platforms with applications; there is none here.
  json::Object resource;
  resource["app_guid"] = text(space);
  body["bind_resource"] = std::move(resource);
  json::Object context;
  context["platform"] = "kubernetes";
  context["namespace"] = text(binding.ns());
  context["clusterid"] = text(settings.cluster_id);
  body["context"] = std::move(context);
  if (parameters.is_object()) body["parameters"] = parameters;
  call.body = std::move(body);
  return call;
}

osb::Call unbind_call(const BindingView& binding) { return call_about(binding, osb::Method::kUnbind); }

osb::Call poll_call(const BindingView& binding) {
  auto call = call_about(binding, osb::Method::kPollBinding);
  if (const auto operation = json::string_at(binding.status(), "lastOperation"))
    call.operation = std::string(*operation);
  return call;
}

osb::Call get_call(const BindingView& binding) { return call_about(binding, osb::Method::kGetBinding); }

}  // namespace chandler::reconcilers
