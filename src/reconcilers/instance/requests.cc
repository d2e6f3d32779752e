#include "reconcilers/instance/requests.h"

#include "reconcilers/catalog/endpoint.h"

namespace chandler::reconcilers {
namespace {

osb::Call call_about(const InstanceView& instance, osb::Method method) {
  osb::Call call;
  call.method = method;
  call.instance_id = instance.external_id();
  call.originating_identity = identity_of(member(instance.spec(), "userInfo"));
  return call;
}

osb::Call call_about(const InstanceView& instance, osb::Method method, const Target& target) {
  auto call = call_about(instance, method);
  call.service_id = target.service_id;
  call.plan_id = target.plan_id;
  return call;
}

void write_context(json::Object& body, const InstanceView& instance, const Settings& settings) {
  auto& context = body["context"].emplace_object();
  context.reserve(4);
  context["platform"] = "kubernetes";
  context["namespace"] = text(instance.ns());
  context["clusterid"] = text(settings.cluster_id);
  context["instance_name"] = text(instance.name());
}

}  // namespace

osb::Call provision_call(const InstanceView& instance, const Target& target, const json::Value& parameters,
                         std::string_view space, const Settings& settings) {
  auto call = call_about(instance, osb::Method::kProvision);
  json::Object body;
  body.reserve(6);
  body["service_id"] = text(target.service_id);
  body["plan_id"] = text(target.plan_id);
  body["organization_guid"] = text(settings.cluster_id);
  body["space_guid"] = text(space);
  write_context(body, instance, settings);
  if (parameters.is_object()) body["parameters"] = parameters;
  call.body = std::move(body);
  return call;
}

osb::Call update_call(const InstanceView& instance, const UpdateRequest& update, const Settings& settings) {
  auto call = call_about(instance, osb::Method::kUpdate);
  json::Object body;
  body.reserve(5);
  body["service_id"] = text(update.after.service_id);
  if (update.with_plan) body["plan_id"] = text(update.after.plan_id);
  if (update.with_parameters) {
    body["parameters"] = update.parameters.is_object() ? update.parameters : json::Value(json::Object());
  }
  write_context(body, instance, settings);
  auto& previous = body["previous_values"].emplace_object();
  previous["plan_id"] = text(update.before.plan_id);
  previous["service_id"] = text(update.before.service_id);
  call.body = std::move(body);
  return call;
}

osb::Call deprovision_call(const InstanceView& instance, const Target& target) {
  return call_about(instance, osb::Method::kDeprovision, target);
}

osb::Call poll_call(const InstanceView& instance, const Target& target) {
  auto call = call_about(instance, osb::Method::kPollInstance, target);
  if (const auto operation = json::string_at(instance.status(), "lastOperation"))
    call.operation = std::string(*operation);
  return call;
}

osb::Call get_call(const InstanceView& instance, const Target& target) {
  return call_about(instance, osb::Method::kGetInstance, target);
}

}  // namespace chandler::reconcilers
