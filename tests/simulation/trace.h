// What happened, line by line, for comparing two runs and for reading after a failure. Identifiers that are random by
// nature (uids, OSB IDs) are shown by the order in which they were first seen.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/clock.h"
#include "controller/backoff.h"

namespace chandler::simulation {

class Trace {
 public:
  explicit Trace(const Clock& clock) : clock_(clock), start_(clock.now()) {}

  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    const double seconds = std::chrono::duration<double>(clock_.now() - start_).count();
    lines_.push_back(fmt::format("{:12.3f} {}", seconds, fmt::format(format, std::forward<Args>(args)...)));
  }
  std::string alias(const std::string& id) {
    if (id.empty()) return "-";
    const auto [found, is_new] = aliases_.try_emplace(id, aliases_.size() + 1);
    return fmt::format("#{}", found->second);
  }

  const std::vector<std::string>& lines() const { return lines_; }
  uint64_t digest() const {
    uint64_t out = 0;
    for (const auto& line : lines_) out = controller::stable_hash(line, out + 1);
    return out;
  }
  // The end of the story, for a message.
  std::string tail(size_t count = 60) const {
    std::string out;
    for (size_t i = lines_.size() - std::min(count, lines_.size()); i < lines_.size(); ++i) out += lines_[i] + "\n";
    return out;
  }

 private:
  const Clock& clock_;
  const WallTime start_;
  std::vector<std::string> lines_;
  std::map<std::string, size_t> aliases_;
};

}  // namespace chandler::simulation
