#include "base/metrics.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace chandler::metrics {
namespace {

constexpr std::string_view type_name(const Counter*) { return "counter"; }
constexpr std::string_view type_name(const Gauge*) { return "gauge"; }
constexpr std::string_view type_name(const Histogram*) { return "histogram"; }

template <typename Out>
void append(Out& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

// The text form escapes a backslash and an end of line everywhere, a quote only inside quotes.
template <typename Out>
void append_escaped(Out& out, std::string_view text, bool in_quotes) {
  for (const char c : text) {
    if (c == '\\') {
      append(out, "\\\\");
    } else if (c == '\n') {
      append(out, "\\n");
    } else if (c == '"' && in_quotes) {
      append(out, "\\\"");
    } else {
      out.push_back(c);
    }
  }
}

void write_header(std::string& out, std::string_view name, std::string_view help, std::string_view type) {
  fmt::format_to(std::back_inserter(out), "# HELP {} ", name);
  append_escaped(out, help, false);
  fmt::format_to(std::back_inserter(out), "\n# TYPE {} {}\n", name, type);
}

template <typename Number>
void write_sample(std::string& out, std::string_view name, std::string_view labels, Number value) {
  out += name;
  if (!labels.empty()) fmt::format_to(std::back_inserter(out), "{{{}}}", labels);
  fmt::format_to(std::back_inserter(out), " {}\n", value);
}

void write_metric(std::string& out, std::string_view name, std::string_view labels, const Counter& counter) {
  write_sample(out, name, labels, counter.value());
}

void write_metric(std::string& out, std::string_view name, std::string_view labels, const Gauge& gauge) {
  write_sample(out, name, labels, gauge.value());
}

void write_metric(std::string& out, std::string_view name, std::string_view labels, const Histogram& histogram) {
  histogram.write(out, name, labels);
}

}  // namespace

Histogram::Histogram(std::vector<double> bounds) : bounds_(std::move(bounds)), buckets_(bounds_.size() + 1) {
  CH_CHECK(std::is_sorted(bounds_.begin(), bounds_.end()));
}

void Histogram::observe(double v) {
  const auto bound = std::lower_bound(bounds_.begin(), bounds_.end(), v);
  buckets_[static_cast<size_t>(bound - bounds_.begin())].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(v, std::memory_order_relaxed);
}

void Histogram::write(std::string& out, std::string_view name, std::string_view labels) const {
  const std::string_view comma = labels.empty() ? "" : ",";
  uint64_t count = 0;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    count += buckets_[i].load(std::memory_order_relaxed);
    const std::string bound = i < bounds_.size() ? fmt::format("{}", bounds_[i]) : "+Inf";
    fmt::format_to(std::back_inserter(out), "{}_bucket{{{}{}le=\"{}\"}} {}\n", name, labels, comma, bound, count);
  }
  write_sample(out, fmt::format("{}_sum", name), labels, sum_.load(std::memory_order_relaxed));
  write_sample(out, fmt::format("{}_count", name), labels, count);
}

std::vector<double> latency_bounds() {
  std::vector<double> bounds{50e-6};
  while (bounds.back() * 2 < 60) bounds.push_back(bounds.back() * 2);
  return bounds;
}

template <typename Metric>
Family<Metric>::Family(std::string name, std::string help, std::vector<std::string> labels,
                       std::function<std::unique_ptr<Metric>()> make)
    : name_(std::move(name)), help_(std::move(help)), labels_(std::move(labels)), make_(std::move(make)) {}

template <typename Metric>
Metric& Family<Metric>::with(std::initializer_list<std::string_view> values) {
  CH_CHECK(values.size() == labels_.size());
  // On the stack, as this runs for every request.
  fmt::memory_buffer rendered;
  for (size_t i = 0; i < labels_.size(); ++i) {
    if (i > 0) rendered.push_back(',');
    append(rendered, labels_[i]);
    append(rendered, "=\"");
    append_escaped(rendered, values.begin()[i], true);
    rendered.push_back('"');
  }
  const std::string_view key(rendered.data(), rendered.size());
  {
    ReadLock lock(mutex_);
    const auto found = children_.find(key);
    if (found != children_.end()) return *found->second;
  }
  auto created = make_();
  WriteLock lock(mutex_);
  // Another thread may have come first; then its child stays.
  return *children_.try_emplace(std::string(key), std::move(created)).first->second;
}

template <typename Metric>
void Family<Metric>::write(std::string& out) const {
  write_header(out, name_, help_, type_name(static_cast<const Metric*>(nullptr)));
  ReadLock lock(mutex_);
  for (const auto& [labels, child] : children_) write_metric(out, name_, labels, *child);
}

template class Family<Counter>;
template class Family<Gauge>;
template class Family<Histogram>;

template <typename Metric>
Family<Metric>& Registry::add_family(std::string name, std::string help, std::vector<std::string> labels,
                                     std::function<std::unique_ptr<Metric>()> make) {
  const bool plain = labels.empty();
  auto family = std::make_shared<Family<Metric>>(name, std::move(help), std::move(labels), std::move(make));
  if (plain) family->with({});  // shown as 0 from the start
  Entry entry{[family](std::string& out) { family->write(out); }, family, &typeid(Metric)};
  MutexLock lock(mutex_);
  const auto& kept = entries_.try_emplace(std::move(name), std::move(entry)).first->second;
  CH_CHECK(kept.type != nullptr && *kept.type == typeid(Metric));
  return *static_cast<Family<Metric>*>(kept.family.get());
}

Family<Counter>& Registry::counter(std::string name, std::string help, std::vector<std::string> labels) {
  return add_family<Counter>(std::move(name), std::move(help), std::move(labels), std::make_unique<Counter>);
}

Family<Gauge>& Registry::gauge(std::string name, std::string help, std::vector<std::string> labels) {
  return add_family<Gauge>(std::move(name), std::move(help), std::move(labels), std::make_unique<Gauge>);
}

Family<Histogram>& Registry::histogram(std::string name, std::string help, std::vector<std::string> labels,
                                       std::vector<double> bounds) {
  return add_family<Histogram>(std::move(name), std::move(help), std::move(labels),
                               [bounds = std::move(bounds)] { return std::make_unique<Histogram>(bounds); });
}

void Registry::gauge_function(std::string name, std::string help, std::function<int64_t()> value) {
  const Write write = [name, help = std::move(help), value = std::move(value)](std::string& out) {
    write_header(out, name, help, type_name(static_cast<const Gauge*>(nullptr)));
    write_sample(out, name, "", value());
  };
  MutexLock lock(mutex_);
  const bool is_new = entries_.try_emplace(std::move(name), Entry{write, nullptr, nullptr}).second;
  CH_CHECK(is_new);  // a value comes from one place
}

std::string Registry::text() const {
  // Copied, because a gauge function is foreign code and must not run under the lock.
  std::map<std::string, Entry, std::less<>> entries;
  {
    MutexLock lock(mutex_);
    entries = entries_;
  }
  std::string out;
  for (const auto& [name, entry] : entries) entry.write(out);
  return out;
}

}  // namespace chandler::metrics
