// The limit for a relist: the store alone, without API, rules or cache, commits the same objects.
//   bench_catalog_store --directory DIR --file FILE [--in-flight N]
// FILE has one object per line; each is committed under a key of its own into a fresh store in DIR, at most N at a time
// on their way. Prints: objects, seconds.
#include <fmt/format.h>

#include <condition_variable>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include "storage/embedded/embedded_store.h"
#include "tool.h"

namespace chandler::bench {
namespace {

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail(fmt::format("{} cannot be read", path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// Counts what is under way.
class InFlight {
 public:
  explicit InFlight(int64_t most) : most_(most) {}
  void begin() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return count_ < most_; });
    ++count_;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    --count_;
    changed_.notify_one();
  }
  void await_none() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return count_ == 0; });
  }

 private:
  const int64_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t count_ = 0;
};

void run(const Args& args) {
  const auto objects = read_lines(args.text("file"));
  storage::EmbeddedOptions options;
  options.directory = args.text("directory");
  auto opened = storage::EmbeddedStore::open(options);
  if (!opened.ok()) fail(opened.error().message);
  auto& store = **opened;
  InFlight in_flight(args.number("in-flight", 256));

  const auto begin = Clock::now();
  for (size_t i = 0; i < objects.size(); ++i) {
    storage::Write write;
    write.key = fmt::format("servicecatalog.k8s.io/clusterserviceplans/00000000-0001-4000-8000-{:012}", i);
    write.value = objects[i];
    write.expected = storage::Write::kAbsent;
    in_flight.begin();
    store.commit(std::move(write), [&in_flight](const Result<storage::WriteOutcome>& outcome) {
      if (!outcome.ok()) fail(outcome.error().message);
      if (!outcome->committed) fail("the directory has objects already");
      in_flight.end();
    });
  }
  in_flight.await_none();
  const double seconds = seconds_between(begin, Clock::now());
  store.stop();
  fmt::print("objects={} seconds={:.6f}\n", objects.size(), seconds);
}

}  // namespace
}  // namespace chandler::bench

int main(int argc, char** argv) {
  chandler::bench::run(chandler::bench::Args(argc, argv));
  return 0;
}
