// What the disk takes to make 4 KiB durable: append and fdatasync, again and again.
//   bench_fsync --file FILE --count N
// Prints: p50_us, p99_us.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "tool.h"

namespace chandler::bench {
namespace {

void run(const Args& args) {
  const std::string path = args.text("file");
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) fail(fmt::format("{}: {}", path, std::strerror(errno)));
  const std::string block = filler(4096);
  std::vector<double> times;
  const int64_t count = args.number("count");
  for (int64_t i = 0; i < count; ++i) {
    const auto begin = Clock::now();
    if (::write(file, block.data(), block.size()) != static_cast<ssize_t>(block.size()) || ::fdatasync(file) != 0) {
      fail(fmt::format("{}: {}", path, std::strerror(errno)));
    }
    times.push_back(seconds_between(begin, Clock::now()) * 1e6);
  }
  ::close(file);
  ::unlink(path.c_str());
  fmt::print("p50_us={:.1f} p99_us={:.1f}\n", percentile(times, 0.5), percentile(times, 0.99));
}

}  // namespace
}  // namespace chandler::bench

int main(int argc, char** argv) {
  chandler::bench::run(chandler::bench::Args(argc, argv));
  return 0;
}
