// The inside of the engine, shared by its files: keys and their phases (engine_keys.cc), writing (engine_writes.cc),
// calling (engine_calls.cc), taking turns (engine.cc). Everything here belongs to the engine's thread; only the mailbox
// is used by others.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "controller/dependency_index.h"
#include "controller/engine.h"
#include "controller/engine_metrics.h"
#include "controller/events.h"
#include "controller/interest.h"
#include "controller/lane.h"
#include "controller/mailbox.h"
#include "controller/parsed_objects.h"
#include "controller/ready_keys.h"

namespace chandler::controller {

// The name of a key, of texts that are elsewhere: to look for it.
struct KeyNameView {
  size_t reconciler = 0;
  client::KindName kind;
  std::string_view ns;
  std::string_view name;
  bool operator==(const KeyNameView&) const = default;
};

// What is being worked on: an object in the care of a reconciler.
struct KeyName {
  size_t reconciler = 0;
  client::KindName kind;
  std::string ns;
  std::string name;

  KeyNameView view() const { return {reconciler, kind, ns, name}; }
  std::string text() const;  // "serviceinstances dev/db", for logs
};

struct KeyNameHash {
  size_t operator()(const KeyNameView& name) const;
};
uint64_t stable_hash_of(const KeyNameView& name);  // for delays, which are the same in every run

// A busy phase mostly ends in a run, so a change during it needs no note; but see Writing::overtaken.
enum class Phase { kIdle, kQueued, kWriting, kCalling };

struct Writing {
  client::Object about;  // as it was when the step was decided
  std::vector<std::vector<client::Write>> stages;
  std::vector<Note> notes;
  // What follows, as Step says it. Only where the API stores what it is told, and not when something that was read has
  // changed since.
  std::optional<BrokerCall> call;
  bool rests = false;
  bool as_told = false;
  bool overtaken = false;
  registry::Revision left = 0;  // of the key's own object, after its last write here
  size_t stage = 0;
  size_t next = 0;  // in the stage
  size_t under_way = 0;
  std::optional<Error> error;                // the first
  std::optional<Error> refused;              // the first that the outcome of the key tells about; the stage goes on
  std::set<client::KindName> updated_later;  // kinds of what stages behind the first one update
  // Where earlier stages have left objects of those kinds: by kind, namespace and name.
  std::map<std::tuple<client::KindName, std::string, std::string>, registry::Revision> written;
};

struct Calling {
  std::string lane;
  std::string uid;  // of the object that the call is for
  std::string intent;
  osb::Call call;
  MonoTime since;
  osb::SharedSensitive sensitive;
};

// For a key that asked View::has_caught_up().
struct CatchUp {
  std::string uid;     // of the object that it asked for
  bool asked = false;  // in its latest run
  // By the kind it asked about: the keys whose writes were under way the first time, and have not ended since.
  std::map<client::KindName, std::set<KeyId>> behind;
};

struct Key {
  KeyId id = 0;
  KeyName name;
  Phase phase = Phase::kIdle;
  bool held = false;            // after a failure: not run before `due`, whatever changes
  std::optional<WallTime> due;  // its timer
  size_t failures = 0;          // in a row
  std::string last_failure;     // what the last writes ran into
  size_t conflicts = 0;         // in a row
  size_t steps = 0;             // in a row, without a wait
  uint64_t serial = 0;          // of its latest piece of work; older answers are none of its business
  std::unique_ptr<Writing> writing;
  std::unique_ptr<Calling> calling;
  std::unique_ptr<CatchUp> catch_up;
  Lane* lane = nullptr;  // where it waits to call; it may be queued or idle meanwhile
  Lane::Ticket ticket = 0;
  // The answer of its last call, until a step made with it has succeeded.
  std::unique_ptr<CallOutcome> outcome;
  std::string outcome_uid;
  std::string outcome_lane;
};

struct Engine::Parts final : Reader {
  Parts(client::Api& api, CallSender& sender, const Clock& clock, metrics::Registry& metrics, EngineOptions options);
  ~Parts() { mailbox->close(); }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  // engine.cc
  void start();
  void about_to_read(const client::KindName& kind) override;
  void take_care_of_more();
  void queue_everything();
  void queue_all_of(const client::KindName& kind, const std::vector<size_t>& reconciler_indexes);
  void wake_for(size_t reconciler, const client::KindName& kind, const client::Object& object, bool is_there);
  bool do_mail();
  bool do_timer();
  bool do_lane();
  bool do_key();
  void receive(client::Change& change);
  void receive(WriteEnded& ended);
  void receive(CallEnded& ended);
  void receive(AccessKnown& known);

  // engine_keys.cc
  Key& add_key(const KeyNameView& name);
  Key* find(KeyId id);
  void wake(Key& key);
  void touch(Key& key);  // something that it has read may have changed, other than its own object
  void queue(Key& key);
  void set_timer(Key& key, std::optional<WallTime> due);
  void run(Key& key);
  void perform(Key& key, const client::Object& object, Step step, bool waits_for_access);
  void settle(Key& key, const client::Object& object, const Step& step, bool waits_for_access);
  void forget(Key& key);
  void consume_outcome(Key& key);
  void hold(Key& key, std::chrono::microseconds delay);
  void fault(Key& key, std::string_view what, std::string_view detail);
  bool is_looping(Key& key);  // counts a step
  std::chrono::microseconds failure_delay(const Key& key) const;
  std::string_view reconciler_name(const Key& key) const { return reconcilers[key.name.reconciler]->name(); }

  // engine_writes.cc
  void begin_writing(Key& key, const client::Object& object, Step step);
  void go_on_writing(Key& key);
  void end_writing(Key& key);
  void go_on_after(Key& key, Writing& writing);
  void check_what_follows(Key& key, const client::Object& object, const Writing& writing);
  bool has_caught_up(const client::KindName& kind) override;
  void tell_those_behind(KeyId ended);
  void stop_catching_up(Key& key);

  // engine_calls.cc
  void call_or_wait(Key& key, const client::Object& object, Step step);
  void send(Key& key, Lane& lane, const client::Object& object, Step step);
  void end_call(Key& key, osb::Answer answer);
  void leave_lane(Key& key);
  Lane& lane_for(const std::string& name);
  void lane_changed(Lane& lane);  // measures it, offers it a turn, forgets it

  client::Api& api;
  CallSender& sender;
  const Clock& clock;
  const EngineOptions options;
  EngineMetrics metrics;
  EventRecorder events;
  std::shared_ptr<Mailbox> mailbox;
  std::vector<Mail> mail_room;  // of the last delivery; empty
  bool started = false;

  std::vector<std::unique_ptr<Reconciler>> reconcilers;
  std::map<client::KindName, std::vector<size_t>> keepers;       // of kind: which reconcilers take care of it
  std::map<client::KindName, std::vector<size_t>> late_keepers;  // likewise, for the kinds of Reconciler::kinds_of()
  std::shared_ptr<Interest> interest;        // in the kinds that reconcilers declare; from start() on
  std::set<client::KindName> late_followed;  // what turned out to be read, or taken care of, at run time
  ParsedObjects parsed;

  KeyId last_id = 0;
  std::unordered_map<KeyId, std::unique_ptr<Key>> keys;
  std::unordered_map<KeyNameView, Key*, KeyNameHash> keys_by_name;  // by their own texts
  DependencyIndex dependencies;
  std::set<KeyId> waiting_for_access;
  std::set<KeyId> catching_up;  // keys with a CatchUp that is behind
  Key* running = nullptr;       // while its reconciler decides

  ReadyKeys ready;  // may name keys that are gone, or have been run since; phases tell
  std::set<std::pair<WallTime, KeyId>> timers;
  std::map<std::string, std::unique_ptr<Lane>> lanes;
  std::deque<std::string> ready_lanes;  // take turns
  std::set<std::string> listed_lanes;   // those in ready_lanes
  std::set<std::pair<WallTime, std::string>> reopenings;
  size_t busy = 0;            // keys queued, writing or calling
  size_t waiting = 0;         // keys in lanes
  unsigned first_source = 0;  // who is asked for work first; goes round
  bool in_burst = false;      // has written since it last had nothing to do
};

}  // namespace chandler::controller
