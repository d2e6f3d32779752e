// What the disk takes to make 4 KiB durable: write and fdatasync, again and again, first at the end of a growing file,
// then over what is there, which spares the file system a change of its own records.
//   bench_fsync --file FILE --count N
// Prints: append_us, overwrite_us (p50 each).
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

double p50_of_writes(int file, int64_t count) {
  const std::string block = filler(4096);
  std::vector<double> times;
  for (int64_t i = 0; i < count; ++i) {
    const auto begin = Clock::now();
    if (::write(file, block.data(), block.size()) != static_cast<ssize_t>(block.size()) || ::fdatasync(file) != 0) {
      fail(fmt::format("writing: {}", std::strerror(errno)));
    }
    times.push_back(seconds_between(begin, Clock::now()) * 1e6);
  }
  return percentile(times, 0.5);
}

void run(const Args& args) {
  const std::string path = args.text("file");
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) fail(fmt::format("{}: {}", path, std::strerror(errno)));
  const int64_t count = args.number("count");
  const double append = p50_of_writes(file, count);
  ::lseek(file, 0, SEEK_SET);
  const double overwrite = p50_of_writes(file, count);
  ::close(file);
  ::unlink(path.c_str());
  fmt::print("append_us={:.1f} overwrite_us={:.1f}\n", append, overwrite);
}

}  // namespace
}  // namespace chandler::bench

int main(int argc, char** argv) {
  chandler::bench::run(chandler::bench::Args(argc, argv));
  return 0;
}
