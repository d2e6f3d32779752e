// Counters, gauges and histograms in Prometheus' text form. A metric family is created once at start and lives as long
// as the process; label values are few and known (verb, resource, code), never object names. Updates are lock-free once
// the labelled child is found. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "base/mutex.h"

namespace chandler::metrics {

class Counter {
 public:
  void add(uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

class Gauge {
 public:
  void set(int64_t v) { value_.store(v, std::memory_order_relaxed); }
  void add(int64_t n) { value_.fetch_add(n, std::memory_order_relaxed); }
  int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_{0};
};

class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds);  // upper bounds, ascending; +Inf is implied
  void observe(double v);
  void write(std::string& out, std::string_view name, std::string_view labels) const;

 private:
  const std::vector<double> bounds_;
  std::vector<std::atomic<uint64_t>> buckets_;  // one per bound and one for the rest; summed up when written
  std::atomic<double> sum_{0};
};

// Exponential bounds from 50 microseconds to about 60 seconds.
std::vector<double> latency_bounds();

// A family: one name, one help text, the names of its labels, a child per combination of label values.
template <typename Metric>
class Family {
 public:
  Family(std::string name, std::string help, std::vector<std::string> labels,
         std::function<std::unique_ptr<Metric>()> make);
  Metric& with(std::initializer_list<std::string_view> values) CH_EXCLUDES(mutex_);
  void write(std::string& out) const CH_EXCLUDES(mutex_);

 private:
  const std::string name_;
  const std::string help_;
  const std::vector<std::string> labels_;
  const std::function<std::unique_ptr<Metric>()> make_;
  mutable SharedMutex mutex_;
  std::map<std::string, std::unique_ptr<Metric>, std::less<>> children_ CH_GUARDED_BY(mutex_);  // by rendered labels
};

// All families of a process (or of a test), in the order of their names. Who asks for a family that is there already
// gets that one, so that several of a sort (engines) count together; families are never removed.
class Registry {
 public:
  Family<Counter>& counter(std::string name, std::string help, std::vector<std::string> labels = {});
  Family<Gauge>& gauge(std::string name, std::string help, std::vector<std::string> labels = {});
  Family<Histogram>& histogram(std::string name, std::string help, std::vector<std::string> labels,
                               std::vector<double> bounds);
  // A gauge whose value is asked for when the metrics are written.
  void gauge_function(std::string name, std::string help, std::function<int64_t()> value);
  std::string text() const CH_EXCLUDES(mutex_);

 private:
  using Write = std::function<void(std::string&)>;
  struct Entry {
    Write write;
    std::shared_ptr<void> family;  // null: a gauge function
    const std::type_info* type = nullptr;
  };

  template <typename Metric>
  Family<Metric>& add_family(std::string name, std::string help, std::vector<std::string> labels,
                             std::function<std::unique_ptr<Metric>()> make);

  mutable Mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_ CH_GUARDED_BY(mutex_);
};

}  // namespace chandler::metrics
