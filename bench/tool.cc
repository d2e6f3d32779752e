#include "tool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace chandler::bench {

void fail(std::string_view message) {
  fmt::print(stderr, "{}\n", message);
  std::exit(1);
}

Args::Args(int argc, char** argv) {
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (!name.starts_with("--") || i + 1 == argc) fail(fmt::format("{}: expected --name value", name));
    values_[std::string(name.substr(2))] = argv[i + 1];
  }
}

std::string Args::text(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) fail(fmt::format("--{} is missing", name));
  return found->second;
}

std::string Args::text(const std::string& name, const std::string& otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? otherwise : found->second;
}

int64_t Args::number(const std::string& name) const {
  const std::string value = text(name);
  char* end = nullptr;
  const int64_t number = std::strtoll(value.c_str(), &end, 10);
  if (value.empty() || *end != '\0') fail(fmt::format("--{} {}: not a number", name, value));
  return number;
}

int64_t Args::number(const std::string& name, int64_t otherwise) const {
  return values_.contains(name) ? number(name) : otherwise;
}

double percentile(std::vector<double>& samples, double share) {
  if (samples.empty()) fail("nothing was measured");
  std::sort(samples.begin(), samples.end());
  return samples[static_cast<size_t>(share * static_cast<double>(samples.size() - 1))];
}

std::string filler(size_t length) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out(length, ' ');
  uint32_t state = 1;
  for (char& c : out) {
    state = state * 1664525 + 1013904223;
    c = kLetters[state >> 26];
  }
  return out;
}

}  // namespace chandler::bench
