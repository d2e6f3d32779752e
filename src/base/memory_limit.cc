#include "base/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>

namespace chandler {
namespace {

// "max" and what cannot be read are no limit.
std::optional<uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  if (!(file >> text)) return std::nullopt;
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

void lower(MemoryLimit& limit, std::optional<uint64_t> bytes, std::string_view source) {
  if (bytes && *bytes < limit.bytes) limit = {*bytes, std::string(source)};
}

// A group is bound by those around it, too. In a container the path may be one of the host, and is then not there.
void lower_by_groups(MemoryLimit& limit, const std::string& top, std::string path, const char* file,
                     std::string_view source) {
  for (;;) {
    lower(limit, number_in(top + path + "/" + file), source);
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos) return;
    path.resize(slash);
  }
}

}  // namespace

MemoryLimit memory_limit(const std::string& root) {
  MemoryLimit limit{static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)),
                    "memory of the machine"};
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "0::/system.slice/chandler.service", "4:memory:/a"
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const auto controllers = std::string_view(line).substr(first + 1, second - first - 1);
    const auto path = line.substr(second + 1);
    if (controllers.empty()) {
      lower_by_groups(limit, root + "/sys/fs/cgroup", path, "memory.max", "cgroup memory.max");
    } else if (controllers == "memory") {
      lower_by_groups(limit, root + "/sys/fs/cgroup/memory", path, "memory.limit_in_bytes",
                      "cgroup memory.limit_in_bytes");
    }
  }
  for (const auto& [which, name] : {std::pair{RLIMIT_AS, "RLIMIT_AS"}, std::pair{RLIMIT_DATA, "RLIMIT_DATA"}}) {
    rlimit own{};
    if (::getrlimit(which, &own) == 0 && own.rlim_cur != RLIM_INFINITY) lower(limit, own.rlim_cur, name);
  }
  return limit;
}

}  // namespace chandler
