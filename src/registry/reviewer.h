// The seam through which somebody outside of the process has a say in writes: admission webhooks (src/webhooks). A
// write that somebody wants to see waits for the answer without holding a thread; when nobody is configured it costs
// one look at a flag. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "base/result.h"
#include "json/value.h"
#include "registry/admission.h"

namespace chandler::registry {

struct WriteRequest;
struct DeleteOptions;

// A write that waits between two of its steps. Kept alive by who reviews it; used by one thread at a time.
class Review {
 public:
  Review() = default;
  virtual ~Review() = default;
  Review(Review&&) = default;
  Review& operator=(Review&&) = delete;

  AdmissionRequest admission;  // `object` and `old` are documents of the storage version; object null on delete
  const WriteRequest* write = nullptr;
  const DeleteOptions* options = nullptr;  // of a delete
  int64_t revision = 0;                    // of what is stored; 0 on create
  // metadata.managedFields, which the two documents lack: as stored, and as what was asked for makes them. What those
  // who review make of the object is in nobody's name.
  std::optional<json::Value> managed_before;
  std::optional<json::Value> managed;

  // Takes over what somebody made of the object, managedFields included: what only the server may set is put back,
  // unknown fields go, defaults come, the rules of the kind complete it. An error refuses the write. Not on delete.
  virtual Result<void> revise(json::Value changed) = 0;
};

class Reviewer {
 public:
  enum class Phase { kMutate, kValidate };
  using Done = std::function<void(Result<void>)>;

  virtual ~Reviewer() = default;

  // True while nobody is configured at all.
  bool idle() const { return idle_.load(std::memory_order_acquire); }
  // Whether anybody wants to see this write in this phase. Quick, no waiting.
  virtual bool wants(const AdmissionRequest& request, Phase phase) const = 0;
  // `done` runs once, at once or later, on any thread that may compute and queue a write.
  virtual void review(std::shared_ptr<Review> review, Phase phase, Done done) = 0;

 protected:
  void set_idle(bool idle) { idle_.store(idle, std::memory_order_release); }

 private:
  std::atomic<bool> idle_{true};
};

}  // namespace chandler::registry
