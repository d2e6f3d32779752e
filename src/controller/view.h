// What a reconciler may look at, at one moment. Everything it reads is remembered, empty results too: the engine runs
// it again when any of that changes. Belongs to the engine's thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controller/parsed_objects.h"
#include "controller/step.h"

namespace chandler::controller {

// What was read: one object, or all objects of a kind in a namespace ("": everywhere) with a field of that value.
struct Read {
  client::KindName kind;
  std::string ns;
  std::string name;   // of one object; else empty
  std::string field;  // of a list by field; empty: the whole kind
  std::string value;
  auto operator<=>(const Read&) const = default;
};

// Whoever runs the reconciler, as its View asks.
class Reader {
 public:
  // Before a kind is read, so that no change after the read goes unnoticed.
  virtual void about_to_read(const client::KindName& kind) = 0;
  virtual bool has_caught_up(const client::KindName& kind) = 0;  // see View

 protected:
  ~Reader() = default;
};

class View {
 public:
  View(const client::State& state, client::Access& access, WallTime now, const CallOutcome* outcome,
       Reader* reader = nullptr, ParsedObjects* parsed = nullptr);

  client::Object get(const client::KindName& kind, std::string_view ns, std::string_view name);
  // All that match; the first field is what the engine watches by.
  std::vector<client::Object> list(const client::KindName& kind, const client::Selection& selection);
  // The value of a selectable field of an object that was read here; costs no parsing.
  std::string field(const client::KindName& kind, const client::Object& object, std::string_view path) const {
    return std::string(state_.field(kind, object, path));
  }
  // What the API serves under a word, as State::find_kind(); looked at again whenever a CustomResourceDefinition
  // changes.
  std::optional<client::ServedKind> find_kind(std::string_view group, std::string_view version, std::string_view word);
  WallTime now() const { return now_; }
  // The answer to the call that this key's last step asked for; null when there is none. It is handed over again until
  // a step made with it has succeeded, so nothing that a broker said gets lost.
  const CallOutcome* outcome() const { return outcome_; }
  // kUnknown: the engine runs the key again when it is known.
  client::Access::Decision may(const auth::Attributes& attributes);
  // Whether this View shows what the engine has decided about objects of that kind before this object's key asked for
  // the first time: the writes that were under way then have ended. False: the key runs again when they have. A run
  // that does not ask forgets the moment; the next to ask is the first again. For who must not miss a decision that was
  // made before something it sees now, but is stored only after that.
  bool has_caught_up(const client::KindName& kind) { return reader_ == nullptr || reader_->has_caught_up(kind); }

  const std::vector<Read>& reads() const { return reads_; }
  std::vector<Read> take_reads() { return std::move(reads_); }
  bool asked_for_access() const { return asked_for_access_; }
  bool waits_for_access() const { return waits_for_access_; }
  // Why the writes of this key's last step were not stored, for people; empty when they were, or only lost a race.
  std::string_view last_failure() const { return last_failure_; }
  void set_last_failure(std::string_view failure) { last_failure_ = failure; }
  // Something that was read is not all there yet: whatever was decided on it does not count.
  bool is_incomplete() const { return is_incomplete_; }

 private:
  void note(Read read);
  client::Object shared(client::Object object);  // with all who read the same state of it, if they are known

  const client::State& state_;
  client::Access& access_;
  const WallTime now_;
  const CallOutcome* const outcome_;
  Reader* const reader_;         // null: nobody asks
  ParsedObjects* const parsed_;  // null: each read is parsed anew
  std::vector<Read> reads_;
  std::string_view last_failure_;  // belongs to the engine
  bool asked_for_access_ = false;
  bool waits_for_access_ = false;
  bool is_incomplete_ = false;
};

}  // namespace chandler::controller
