#include "base/start_memory.h"

#include <malloc.h>
#include <sys/mman.h>

#include <charconv>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

// The server is linked with mimalloc, other programs and builds with sanitizers are not; see ADR 0033.
extern "C" void mi_collect(bool force) __attribute__((weak));

namespace chandler {
namespace {

void release_heap() {
  if (mi_collect != nullptr) {
    mi_collect(true);
  } else {
    ::malloc_trim(0);
  }
}

// A line of /proc/self/maps: "55d0-55e0 r-xp offset device inode   /path". Code from files only: what is not writable
// was never changed, so the file still has all of it.
bool is_code(std::string_view line) {
  const size_t rights = line.find(' ');
  return rights != std::string_view::npos && line.substr(rights + 1, 4) == "r-xp" &&
         line.find(" /") != std::string_view::npos;
}

bool read_range(std::string_view line, uintptr_t& begin, uintptr_t& end) {
  const char* const last = line.data() + line.size();
  const auto first = std::from_chars(line.data(), last, begin, 16);
  if (first.ec != std::errc() || first.ptr == last || *first.ptr != '-') return false;
  return std::from_chars(first.ptr + 1, last, end, 16).ec == std::errc() && begin < end;
}

}  // namespace

size_t release_start_memory() {
  release_heap();
  size_t released = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    if (!is_code(line) || !read_range(line, begin, end)) continue;
    // Where the system does not want to (locked memory), nothing is lost.
    auto* const start = reinterpret_cast<void*>(begin);  // NOLINT(performance-no-int-to-ptr): read from a text
    if (::madvise(start, end - begin, MADV_DONTNEED) == 0) released += end - begin;
  }
  return released;
}

}  // namespace chandler
