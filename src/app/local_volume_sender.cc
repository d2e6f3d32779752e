#include "app/local_volume_sender.h"

#include <utility>

namespace chandler::app {
namespace {

constexpr size_t kQueueLimit = 10'000;
constexpr int kOctal = 8;

osb::Answer refusal(const Error& error) {
  osb::Answer answer;
  answer.status = error.http();
  answer.error = reason_name(error.reason);
  answer.description = error.message;
  return answer;
}

Result<osb::Answer> make(brokers::VolumePools& pools, const osb::Call& call) {
  brokers::VolumeOrder order;
  order.pool = call.plan_id;
  order.id = call.instance_id;
  const auto form = json::string_or(call.body, "form");
  if (form == brokers::form_name(brokers::VolumeForm::kImage)) {
    order.form = brokers::VolumeForm::kImage;
  } else if (form != brokers::form_name(brokers::VolumeForm::kDirectory)) {
    return bad_request("the form of a volume is directory or image");
  }
  const auto* bytes = json::find(call.body, "bytes");
  if (bytes != nullptr && bytes->is_uint64()) {
    order.bytes = bytes->get_uint64();
  } else if (const auto number = json::int_at(call.body, "bytes"); number && *number > 0) {
    order.bytes = static_cast<uint64_t>(*number);
  }
  unsigned mode = 0;
  for (const char c : json::string_or(call.body, "mode")) {
    if (c < '0' || c > '7' || mode > 0777) return bad_request("the mode of a volume is an octal number");
    mode = mode * kOctal + static_cast<unsigned>(c - '0');
  }
  if (mode > 0777) return bad_request("the mode of a volume has no more than permissions");
  order.mode = mode;
  CH_TRY_LET(path, pools.make(order));
  osb::Answer answer;
  answer.status = 201;
  answer.body = json::Object{{"path", path}};
  return answer;
}

}  // namespace

osb::Answer carry_out(brokers::VolumePools& pools, const osb::Call& call) {
  if (call.method == osb::Method::kProvision) {
    auto made = make(pools, call);
    return made.ok() ? std::move(made).value() : refusal(made.error());
  }
  if (call.method != osb::Method::kDeprovision) return refusal(bad_request("volumes are made and removed, no more"));
  if (auto removed = pools.remove(call.plan_id, call.instance_id); !removed.ok()) return refusal(removed.error());
  osb::Answer answer;
  answer.status = 200;
  return answer;
}

Result<void> LocalVolumeSender::open(std::vector<brokers::PoolPlace> places) {
  CH_TRY_LET(pools, brokers::VolumePools::open(std::move(places)));
  pools_ = std::move(pools);
  thread_ = std::make_unique<Pool>("volumes", 1, kQueueLimit);
  return {};
}

void LocalVolumeSender::send(const osb::Endpoint&, const osb::Call& call, Done done) {
  // Shared, so that it can still be called when the queue refuses the work.
  const auto tell = std::make_shared<Done>(std::move(done));
  const bool queued = thread_->submit([this, call, tell] { (*tell)(carry_out(*pools_, call)); });
  if (!queued) {
    osb::Answer answer;
    answer.status = 503;
    answer.description = "too many volumes are being made at once";
    (*tell)(std::move(answer));
  }
}

}  // namespace chandler::app
