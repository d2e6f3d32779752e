#include "controller/engine.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "controller/engine_parts.h"

namespace chandler::controller {
namespace {

constexpr size_t kMailPerTurn = 64;
constexpr client::KindName kDefinitions{"apiextensions.k8s.io", "customresourcedefinitions"};

// The same write would be refused again.
bool is_refusal(const Error& error) { return error.reason == Reason::kInvalid || error.reason == Reason::kForbidden; }

// Once for each object: a reconciler may try the same again and again.
void note_refusal(std::vector<Refusal>& refused, Refusal refusal) {
  const auto known = std::find_if(refused.begin(), refused.end(), [&](const Refusal& one) {
    return one.name == refusal.name && one.kind == refusal.kind && one.ns == refusal.ns;
  });
  if (known == refused.end()) {
    refused.push_back(std::move(refusal));
  } else {
    known->message = std::move(refusal.message);
  }
}

}  // namespace

Engine::Parts::Parts(client::Api& api_in, CallSender& sender_in, const Clock& clock_in, metrics::Registry& metrics_in,
                     EngineOptions options_in)
    : api(api_in),
      sender(sender_in),
      clock(clock_in),
      options(std::move(options_in)),
      metrics(metrics_in),
      events(api_in.writer(), clock_in, options.component),
      mailbox(std::make_shared<Mailbox>(options.queued_changes)),
      parsed(options.parsed_bytes) {}

void Engine::Parts::start() {
  CH_CHECK(!started);
  started = true;
  std::set<client::KindName> followed;
  for (size_t i = 0; i < reconcilers.size(); ++i) {
    for (const auto& kind : reconcilers[i]->kinds()) {
      keepers[kind].push_back(i);
      followed.insert(kind);
    }
    for (const auto& kind : reconcilers[i]->reads()) followed.insert(kind);
  }
  interest = std::make_shared<Interest>(followed);
  for (const auto& [kind, reconciler_indexes] : keepers) interest->note(kind);
  // The callbacks hold the mailbox, not the engine: they may come late.
  api.state().listen({followed.begin(), followed.end()}, [box = mailbox, in = interest](const client::Change& change) {
    if (in->has(change.kind)) box->put(change);
  });
  api.access().on_changed([box = mailbox] { box->put(AccessKnown{}); });
  if (followed.contains(kDefinitions)) {
    interest->note(kDefinitions);
    take_care_of_more();
  }
  queue_everything();
}

void Engine::Parts::about_to_read(const client::KindName& kind) {
  if (interest->note(kind) || !late_followed.insert(kind).second) return;
  api.state().listen({kind}, [box = mailbox](const client::Change& change) { box->put(change); });
}

// A kind that is not served any more has no objects: its keys find nothing and go.
void Engine::Parts::take_care_of_more() {
  std::map<client::KindName, std::vector<size_t>> now;
  for (size_t i = 0; i < reconcilers.size(); ++i) {
    for (const auto& kind : reconcilers[i]->kinds_of(api.state())) now[kind].push_back(i);
  }
  const auto before = std::exchange(late_keepers, now);
  for (const auto& [kind, reconciler_indexes] : now) {
    if (before.contains(kind)) continue;
    about_to_read(kind);
    queue_all_of(kind, reconciler_indexes);
  }
}

void Engine::Parts::queue_all_of(const client::KindName& kind, const std::vector<size_t>& reconciler_indexes) {
  for (const auto& object : api.state().list(kind, {})) {
    for (const size_t i : reconciler_indexes) wake_for(i, kind, object, true);
  }
}

void Engine::Parts::queue_everything() {
  for (const auto* kept : {&keepers, &late_keepers}) {
    for (const auto& [kind, reconciler_indexes] : *kept) queue_all_of(kind, reconciler_indexes);
  }
}

bool Engine::Parts::do_mail() {
  auto delivery = mailbox->take(kMailPerTurn, std::move(mail_room));
  if (delivery.missed_changes) {
    log::warn("changes came faster than they were worked on; looking at all objects again",
              {{"limit", options.queued_changes}});
    std::vector<KeyId> all;
    all.reserve(keys.size());
    for (const auto& [id, key] : keys) all.push_back(id);
    std::sort(all.begin(), all.end());
    for (const KeyId id : all) touch(*find(id));
    queue_everything();
  }
  for (auto& mail : delivery.mail) std::visit([this](auto& item) { receive(item); }, mail);
  const bool found = delivery.missed_changes || !delivery.mail.empty();
  mail_room = std::move(delivery.mail);
  mail_room.clear();  // what it held is freed now, not with the next delivery
  return found;
}

void Engine::Parts::receive(client::Change& change) {
  if (change.kind == kDefinitions) take_care_of_more();
  const auto& about = change.now ? change.now : change.before;
  for (const KeyId id : dependencies.concerned(change, api.state())) {
    Key* key = find(id);
    if (key == nullptr) continue;
    // Its own object has a revision, which tells more than that something has changed.
    const auto& name = key->name;
    const bool is_own = name.kind == change.kind && name.ns == about.ns() && name.name == about.name();
    is_own ? wake(*key) : touch(*key);
  }
  auto found = keepers.find(change.kind);
  if (found == keepers.end()) {
    found = late_keepers.find(change.kind);
    if (found == late_keepers.end()) return;
  }
  for (const size_t i : found->second) wake_for(i, change.kind, about, static_cast<bool>(change.now));
}

void Engine::Parts::wake_for(size_t reconciler, const client::KindName& kind, const client::Object& object,
                             bool is_there) {
  const KeyNameView name{reconciler, kind, object.ns(), object.name()};
  if (const auto known = keys_by_name.find(name); known != keys_by_name.end()) return wake(*known->second);
  // What is gone, or leaves nothing to do, and was never looked at needs no look.
  if (is_there && reconcilers[reconciler]->needs_look(kind, object)) wake(add_key(name));
}

void Engine::Parts::receive(WriteEnded& ended) {
  Key* key = find(ended.key);
  if (key == nullptr || key->phase != Phase::kWriting || key->serial != ended.serial) return;
  --key->writing->under_way;
  const auto& about = key->writing->stages[key->writing->stage][ended.index];
  if (ended.error && is_refusal(*ended.error) && key->outcome != nullptr) {
    note_refusal(key->outcome->refused, {about.kind, about.ns, about.name, ended.error->message});
    if (!key->writing->refused) key->writing->refused = std::move(ended.error);
  } else if (ended.error && !key->writing->error) {
    key->writing->error = std::move(ended.error);
  }
  if (ended.revision != 0 && key->writing->updated_later.contains(about.kind)) {
    key->writing->written[{about.kind, about.ns, about.name}] = ended.revision;
  }
  if (about.kind == key->name.kind && about.ns == key->name.ns && about.name == key->name.name) {
    key->writing->left = ended.revision;
  }
  go_on_writing(*key);
}

void Engine::Parts::receive(CallEnded& ended) {
  Key* key = find(ended.key);
  if (key == nullptr || key->phase != Phase::kCalling || key->serial != ended.serial) return;
  end_call(*key, std::move(ended.answer));
}

void Engine::Parts::receive(AccessKnown&) {
  for (const KeyId id : std::exchange(waiting_for_access, {})) {
    if (Key* key = find(id); key != nullptr) wake(*key);
  }
}

bool Engine::Parts::do_timer() {
  const auto now = clock.now();
  if (!reopenings.empty() && reopenings.begin()->first <= now) {
    const auto lane = lanes.find(reopenings.begin()->second);
    reopenings.erase(reopenings.begin());
    if (lane != lanes.end()) lane_changed(*lane->second);
    return true;
  }
  if (timers.empty() || timers.begin()->first > now) return false;
  Key& key = *find(timers.begin()->second);
  set_timer(key, std::nullopt);
  key.held = false;
  wake(key);
  return true;
}

bool Engine::Parts::do_lane() {
  while (!ready_lanes.empty()) {
    const std::string name = std::move(ready_lanes.front());
    ready_lanes.pop_front();
    listed_lanes.erase(name);
    const auto found = lanes.find(name);
    if (found == lanes.end() || !found->second->is_ready(clock.now())) continue;
    // It decides anew; a decision to call this broker finds its slot free. Whatever it decides, it leaves the front.
    run(*find(*found->second->front()));
    if (const auto again = lanes.find(name); again != lanes.end()) lane_changed(*again->second);
    return true;
  }
  return false;
}

bool Engine::Parts::do_key() {
  while (const auto id = ready.pop()) {
    Key* key = find(*id);
    if (key == nullptr || key->phase != Phase::kQueued) continue;
    run(*key);
    return true;
  }
  return false;
}

Engine::Engine(client::Api& api, CallSender& sender, const Clock& clock, metrics::Registry& metrics,
               EngineOptions options)
    : parts_(std::make_unique<Parts>(api, sender, clock, metrics, std::move(options))) {}

Engine::~Engine() = default;

void Engine::add(std::unique_ptr<Reconciler> reconciler) {
  CH_CHECK(!parts_->started);
  parts_->reconcilers.push_back(std::move(reconciler));
}

void Engine::start() { parts_->start(); }

bool Engine::turn() {
  using Source = bool (Parts::*)();
  constexpr Source kSources[] = {&Parts::do_mail, &Parts::do_timer, &Parts::do_lane, &Parts::do_key};
  constexpr unsigned kCount = std::size(kSources);
  // Round and round, so that no source of work can starve another.
  for (unsigned i = 0; i < kCount; ++i) {
    const unsigned source = (parts_->first_source + i) % kCount;
    if (!(parts_.get()->*kSources[source])()) continue;
    parts_->first_source = (source + 1) % kCount;
    return true;
  }
  if (std::exchange(parts_->in_burst, false)) parts_->api.writer().end_burst();
  return false;
}

std::optional<WallTime> Engine::next_due() const {
  std::optional<WallTime> out;
  if (!parts_->timers.empty()) out = parts_->timers.begin()->first;
  if (!parts_->reopenings.empty()) {
    const auto reopening = parts_->reopenings.begin()->first;
    out = out ? std::min(*out, reopening) : reopening;
  }
  return out;
}

void Engine::on_mail(std::function<void()> wake) { parts_->mailbox->on_mail(std::move(wake)); }

bool Engine::at_rest() const { return parts_->busy == 0 && parts_->waiting == 0 && parts_->mailbox->is_empty(); }

}  // namespace chandler::controller
