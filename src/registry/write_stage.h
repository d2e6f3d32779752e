// Inside of Objects: a write on its way, and the state between two of its steps. Used by one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/spare_text.h"
#include "registry/draft.h"
#include "registry/field_tracking.h"
#include "registry/objects.h"
#include "registry/reviewer.h"

namespace chandler::registry {

inline constexpr int kUpdateTries = 64;  // lost races before giving up; each means that somebody else got through

// One write: shared by the callbacks that carry it on. As a draft it takes the new document along.
struct Objects::Attempt : Draft {
  // Of the state that this try began with, and of what was taken out of it: in one piece, which is forgotten and not
  // taken apart. First here, as others below lie in it.
  std::unique_ptr<boost::json::monotonic_resource> memory;

  std::shared_ptr<WriteRequest> request;
  Done done;
  int tries = 0;
  void (Objects::*lost)(const std::shared_ptr<Attempt>&) = nullptr;  // what follows when somebody else was quicker
  bool pinned = false;                                               // update: of exactly one resourceVersion
  std::vector<std::string> warnings;

  // Taken over and not assigned: a value stays in the memory it was made in.
  std::optional<json::Value> body;  // create: as given
  std::string generate_base;        // create by generateName
  Transform transform;              // update
  std::optional<json::Value> put_body;
  DeleteOptions options;     // remove
  FieldRecord record;        // update: managedFields
  std::string managed_text;  // create and update: the same, as it will be stored
  std::string written;       // update: the object as it will be stored

  Attempt() = default;
  ~Attempt() override {
    if (spent_value) give_spare_text(std::move(*spent_value));
  }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  json::Storage memory_for(const Document& current) {
    constexpr size_t kValuePerByte = 3;  // parsed, about
    const size_t bytes = current.bytes().size() - current.managed_fields().size();
    memory = std::make_unique<boost::json::monotonic_resource>(kValuePerByte * bytes);
    return memory.get();
  }

  void fail_with(Error error) {
    request->warnings = std::move(warnings);
    done(fail(std::move(error)));
  }
};

// One try of a write. On the stack while nobody outside is asked, moved to the heap to wait for an answer.
class Objects::Stage final : public Review, public std::enable_shared_from_this<Objects::Stage> {
 public:
  // `old` null: a create. With `borrowed`, which may have a resourceVersion, that is the old state.
  Stage(Objects& objects, Attempt& attempt, Operation operation, DocumentPtr current, json::Value object,
        json::Value old, const json::Value* borrowed = nullptr);
  Stage(Stage&& other) noexcept;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  ~Stage() override = default;

  DocumentPtr current;  // what is stored; null on create
  json::Value object;   // what will be stored
  const json::Value& old() const { return borrowed_old_ != nullptr ? *borrowed_old_ : old_; }
  json::Value take_old() { return std::move(old_); }  // where it is not borrowed

  // Settles `managed` before others have their say, once.
  Result<void> record_fields(Attempt& attempt);
  // What is stored as managedFields, "" when there are none; settled now if nobody was asked.
  Result<std::string> record_text(Attempt& attempt);

  Result<void> revise(json::Value changed) override;
  // This stage on the heap, with all that it needs: itself, or moved there.
  std::shared_ptr<Stage> kept();

 private:
  void point_at_own();
  void take_over_record(const std::optional<json::Value>& wanted);

  Objects& objects_;
  json::Value old_;
  const json::Value* borrowed_old_;  // by the writer's call
  bool recorded_ = false;
};

}  // namespace chandler::registry
