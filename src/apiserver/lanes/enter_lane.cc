#include "apiserver/lanes/enter_lane.h"

#include <exception>
#include <utility>

#include "apiserver/respond.h"

namespace chandler::apiserver {
namespace {

Error lane_is_full() { return too_many_requests("too many requests of this user are waiting; try again later", 1); }

// Users take turns; strangers by the address from which they come. The service accounts of a namespace share one turn:
// a tenant may create, or act as, any number of them. Those of the system are the operator's.
std::string flow_of(const Call& call, Lane lane) {
  constexpr std::string_view kAccounts = "system:serviceaccount:";
  constexpr std::string_view kAccountsOfSystem = "system:serviceaccount:kube-system:";
  if (lane == Lane::kCatchAll) {
    const auto& address = call.request->peer->address;
    return address.substr(0, address.rfind(':'));
  }
  const auto& name = call.user.name;
  const bool shares = name.starts_with(kAccounts) && !name.starts_with(kAccountsOfSystem);
  return shares ? name.substr(0, name.rfind(':')) : name;
}

void run_guarded(const Services& services, Call& call, const std::function<void()>& work) {
  if (call.answered.load()) return;  // its time ran out while it waited
  try {
    work();
  } catch (const std::exception& e) {
    respond_fault(services, call, e.what());
  }
}

void submit(const Services& services, const CallPtr& call, std::function<void()> work) {
  const bool taken =
      services.pool.submit([&services, call, work = std::move(work)] { run_guarded(services, *call, work); });
  if (!taken) respond_error(services, *call, too_many_requests("the server is busy; try again", 1));
}

// A call that waits for a seat.
class WaitingCall final : public FairGate::Waiter {
 public:
  WaitingCall(const Services& services, CallPtr call, FairGate::Seat& seat, bool on_pool, std::function<void()> work)
      : services_(services), call_(std::move(call)), seat_(seat), on_pool_(on_pool), work_(std::move(work)) {}

  FairGate::Seat& seat() override { return seat_; }
  void start() override {
    if (on_pool_) return submit(services_, call_, std::move(work_));
    run_on_connection(services_, call_, [&services = services_, call = call_, work = std::move(work_)] {
      run_guarded(services, *call, work);
    });
  }
  void refuse() override {
    respond_error(services_, *call_, too_many_requests("the request waited too long for its turn; try again later", 1));
  }

 private:
  const Services& services_;
  const CallPtr call_;
  FairGate::Seat& seat_;  // of the call
  const bool on_pool_;
  std::function<void()> work_;
};

void wait_for_seat(const Services& services, const CallPtr& call, FairGate& gate, FairGate::Seat& seat, Lane lane,
                   LaneWork sort, uint32_t width, bool on_pool, std::function<void()> work) {
  auto waiting = std::make_shared<WaitingCall>(services, call, seat, on_pool, std::move(work));
  if (gate.wait(flow_of(*call, lane), width, services.clock.mono(), std::move(waiting))) return;
  services.lanes->count_refusal(lane, sort);
  respond_error(services, *call, lane_is_full());
}

// Runs `work` on the pool when it has `width` seats of that sort.
void run_on_pool(const Services& services, const CallPtr& call, LaneWork sort, FairGate::Seat& seat, uint32_t width,
                 std::function<void()> work) {
  if (services.lanes == nullptr) return submit(services, call, std::move(work));
  const auto lane = lane_of(call->user, call->info);
  auto& gate = *services.lanes->gate(lane, sort);
  if (gate.try_enter(seat, width)) return submit(services, call, std::move(work));
  wait_for_seat(services, call, gate, seat, lane, sort, width, true, std::move(work));
}

// How many bytes the handler of a call parses: the body, and of a single object what is stored.
size_t bytes_to_parse(const Services& services, const Call& call) {
  const auto& verb = call.info.verb;
  const bool reads = verb == "get" || verb == "list" || verb == "watch";
  if (reads && (verb != "get" || (call.info.subresource.empty() && sends_stored_bytes(call)))) return 0;
  size_t bytes = reads ? 0 : call.request->body.size();
  if (call.kind->stored && call.info.name_in_path) {
    if (const auto there = services.cache.get(*call.kind, call.info.ns, call.info.name)) bytes += there->bytes().size();
  }
  return bytes;
}

// The handler has parsed everything when it returns; what it began may go on.
void run_handler(const Services& services, const CallPtr& call, Handler handler) {
  handler(services, call);
  call->body_seat.leave();
}

}  // namespace

void run_by_size(const Services& services, const CallPtr& call, std::function<void()> work) {
  const auto bytes = bytes_to_parse(services, *call);
  if (bytes <= kSmall) return work();
  run_on_pool(services, call, LaneWork::kBody, call->body_seat, body_width(bytes), std::move(work));
}

void run_write(const Services& services, const CallPtr& call, Handler handler) {
  if (services.lanes == nullptr) return handler(services, call);
  const auto lane = lane_of(call->user, call->info);
  auto* gate = services.lanes->gate(lane, LaneWork::kWrite);
  if (gate == nullptr || gate->try_enter(call->seat, 1)) return run_handler(services, call, handler);
  call->body_seat.leave();  // a call that waits here must not hold up the bodies of others
  wait_for_seat(services, call, *gate, call->seat, lane, LaneWork::kWrite, 1, false, [&services, call, handler] {
    run_by_size(services, call, [&services, call, handler] { run_handler(services, call, handler); });
  });
}

void run_heavy(const Services& services, const CallPtr& call, uint32_t width, std::function<void()> work) {
  run_on_pool(services, call, LaneWork::kHeavy, call->seat, width, std::move(work));
}

}  // namespace chandler::apiserver
