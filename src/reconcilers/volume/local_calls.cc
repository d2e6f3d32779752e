#include "reconcilers/volume/local_calls.h"

#include <fmt/format.h>

#include "reconcilers/catalog/document.h"

namespace chandler::reconcilers {
namespace {

constexpr std::chrono::seconds kSoon{30};
constexpr std::chrono::minutes kSeldom{5};
constexpr int kFirstServerFault = 500;

controller::BrokerCall call_to(const std::string& pool, const std::string& volume, osb::Method method) {
  controller::BrokerCall call;
  call.lane = "volumes/" + pool;
  call.endpoint.url = kLocalVolumesUrl;
  call.call.method = method;
  call.call.instance_id = volume;
  call.call.service_id = kLocalProvisioner;
  call.call.plan_id = pool;
  return call;
}

}  // namespace

controller::BrokerCall make_call(const std::string& volume, const LocalOrder& order) {
  auto call = call_to(order.pool, volume, osb::Method::kProvision);
  call.call.body = json::Object{{"form", order.form}, {"bytes", order.bytes}, {"mode", order.mode}};
  call.intent = "make " + order.text();
  return call;
}

controller::BrokerCall remove_call(const std::string& volume, const std::string& pool) {
  auto call = call_to(pool, volume, osb::Method::kDeprovision);
  // Not behind calls to make volumes: when the disk is full those fail, and this is what frees it. Nor may volumes that
  // are still in use keep others from being made.
  call.lane += "/remove";
  call.intent = fmt::format("remove {}/{}", pool, volume);
  return call;
}

bool answers(const controller::CallOutcome* outcome, const controller::BrokerCall& call) {
  return outcome != nullptr && outcome->intent == call.intent;
}

bool succeeded(const controller::CallOutcome& outcome) {
  return !outcome.answer.failure && outcome.answer.status >= 200 && outcome.answer.status < 300;
}

std::string path_in(const controller::CallOutcome& outcome) { return text_at(outcome.answer.body, "path"); }

std::string fault_in(const controller::CallOutcome& outcome) {
  return outcome.answer.description.empty() ? "there was no answer" : outcome.answer.description;
}

WallTime retry_at(const controller::CallOutcome& outcome, WallTime now) {
  return outcome.answer.failure || outcome.answer.status >= kFirstServerFault ? now + kSoon : now + kSeldom;
}

}  // namespace chandler::reconcilers
