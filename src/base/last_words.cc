#include "base/last_words.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/exit_code.h"
#include "base/memory_limit.h"

// Of mimalloc, which only the program that ships is linked with; null elsewhere. Its `new` does not know the handler
// that std::set_new_handler() sets: it aborts, unless its own handler of errors ends the process first.
extern "C" [[gnu::weak]] void mi_register_error(void (*handler)(int error, void* argument), void* argument);

namespace chandler {
namespace {

constexpr uint64_t kMiB = 1024 * 1024;

// Of the cgroup or the machine, read while there was memory to do it.
std::array<char, 64> memory_source{};
uint64_t memory_bytes = 0;

// A line in a place of its own.
class Line {
 public:
  template <typename... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    const size_t room = text_.size() - 1 - size_;
    const auto done = fmt::format_to_n(text_.data() + size_, room, format, std::forward<Values>(values)...);
    size_ += std::min(done.size, room);
  }
  void add_limit(__rlimit_resource_t which, std::string_view name, uint64_t unit, std::string_view unit_name) {
    rlimit limit{};
    if (::getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    add(", {} is {}{}", name, limit.rlim_cur / unit, unit_name);
  }
  [[noreturn]] void end_process() {
    text_[size_++] = '\n';
    for (size_t written = 0; written < size_;) {
      const auto done = ::write(STDERR_FILENO, text_.data() + written, size_ - written);
      if (done <= 0) break;
      written += static_cast<size_t>(done);
    }
    ::_exit(kExitNoResources);
  }

 private:
  std::array<char, 1024> text_{};
  size_t size_ = 0;
};

// Pages of /proc/self/statm: the whole, what is resident.
uint64_t resident_bytes() {
  std::array<char, 128> text{};
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const auto size = ::read(file, text.data(), text.size() - 1);
  ::close(file);
  uint64_t whole = 0;
  uint64_t resident = 0;
  if (size <= 0) return 0;
  const char* const end = text.data() + size;
  const auto first = std::from_chars(text.data(), end, whole);
  if (first.ec != std::errc() || first.ptr == end || std::from_chars(first.ptr + 1, end, resident).ec != std::errc()) {
    return 0;
  }
  return resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

[[noreturn]] void out_of_memory() {
  Line line;
  line.add("chandler: out of memory: {} MiB are resident, {} is {} MiB", resident_bytes() / kMiB,
           std::string_view(memory_source.data()), memory_bytes / kMiB);
  line.add_limit(RLIMIT_AS, "RLIMIT_AS", kMiB, " MiB");
  line.add_limit(RLIMIT_DATA, "RLIMIT_DATA", kMiB, " MiB");
  line.add("; raise the limit, or lower --storage-quota-mib and --history-mib; see docs/guides/operate.md, Memory");
  line.end_process();
}

void end_when_out_of_memory(int error, void* /*argument*/) {
  if (error == ENOMEM) out_of_memory();
}

[[noreturn]] void no_thread(const std::system_error& error) {
  Line line;
  line.add(
      "chandler: cannot start a thread: errno {}; the number of processes and threads, or memory for its stack, is "
      "used up",
      error.code().value());
  line.add_limit(RLIMIT_NPROC, "RLIMIT_NPROC", 1, "");
  line.add_limit(RLIMIT_AS, "RLIMIT_AS", kMiB, " MiB");
  line.add_limit(RLIMIT_DATA, "RLIMIT_DATA", kMiB, " MiB");
  line.add("; raise what is short: LimitNPROC= and TasksMax= of the unit (ulimit -u, pids.max of the container)");
  line.end_process();
}

[[noreturn]] void uncaught() {
  if (const auto exception = std::current_exception()) {
    try {
      std::rethrow_exception(exception);
    } catch (const std::bad_alloc&) {
      out_of_memory();
    } catch (const std::system_error& error) {
      if (error.code() == std::errc::resource_unavailable_try_again) no_thread(error);
      std::fprintf(stderr, "bug: uncaught exception: %s\n", error.what());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "bug: uncaught exception: %s\n", error.what());
    } catch (...) {
      std::fprintf(stderr, "bug: uncaught exception of an unknown type\n");
    }
  }
  std::abort();
}

}  // namespace

void install_last_words() {
  const auto limit = memory_limit();
  memory_bytes = limit.bytes;
  std::snprintf(memory_source.data(), memory_source.size(), "%s", limit.source.c_str());
  std::set_new_handler(out_of_memory);
  if (mi_register_error != nullptr) mi_register_error(end_when_out_of_memory, nullptr);
  std::set_terminate(uncaught);
}

}  // namespace chandler
