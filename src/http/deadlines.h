// Deadlines of one loop's connections. Each stage has one fixed duration, so the queue of a stage is sorted by itself:
// arming moves an entry to the end, expiry takes from the front, both without search or allocation. Not thread-safe.
#pragma once

#include <array>
#include <boost/intrusive/list.hpp>
#include <chrono>

namespace chandler::http {

enum class Stage { kHandshake, kIdle, kHead, kBody, kWrite, kLinger };
inline constexpr size_t kStages = 6;

// Base of what can expire: a connection, or a stream of HTTP/2. Leaves its queue when destroyed.
class Deadline : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  virtual ~Deadline() = default;
  void disarm() { unlink(); }
  bool is_armed() const { return is_linked(); }
  virtual void expire() = 0;  // the armed deadline has passed; may destroy the entry

 private:
  friend class Deadlines;
  std::chrono::steady_clock::time_point at_;
};

class Deadlines {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Durations = std::array<std::chrono::milliseconds, kStages>;

  explicit Deadlines(const Durations& durations) : durations_(durations) {}

  // Replaces the deadline that the entry had, if any.
  void arm(Deadline& entry, Stage stage, Time now) {
    const auto index = static_cast<size_t>(stage);
    entry.unlink();
    entry.at_ = now + durations_[index];
    queues_[index].push_back(entry);
  }

  // Takes out an entry whose time has come; null when there is none (left).
  Deadline* pop_expired(Time now) {
    for (Queue& queue : queues_) {
      if (queue.empty() || queue.front().at_ > now) continue;
      Deadline& entry = queue.front();
      queue.pop_front();
      return &entry;
    }
    return nullptr;
  }

 private:
  using Queue = boost::intrusive::list<Deadline, boost::intrusive::constant_time_size<false>>;
  const Durations durations_;
  std::array<Queue, kStages> queues_;
};

}  // namespace chandler::http
