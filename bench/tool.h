// What every tool here shares: arguments as `--name value`, an end with a message, time, percentiles, one line of
// `name=value` words as the result.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace chandler::bench {

// Says on standard error what went wrong and ends the program with 1.
[[noreturn]] void fail(std::string_view message);

class Args {
 public:
  Args(int argc, char** argv);
  std::string text(const std::string& name) const;  // required
  std::string text(const std::string& name, const std::string& otherwise) const;
  int64_t number(const std::string& name) const;  // required
  int64_t number(const std::string& name, int64_t otherwise) const;

 private:
  std::map<std::string, std::string> values_;
};

using Clock = std::chrono::steady_clock;

inline double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

// The value that `share` (0 to 1) of the samples do not exceed. Sorts them.
double percentile(std::vector<double>& samples, double share);

// `length` characters that look like words of base64, the same at every call.
std::string filler(size_t length);

}  // namespace chandler::bench
