// A data directory with many objects, without the hours that a million requests would take.
//   bench_object_store --directory DIR --file FILE --count N
// FILE holds one stored object, whose name and UID are those of "item-0"; N of its like become a new database in DIR.
// Prints: objects, seconds, bytes (of values).
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "storage/embedded/database_builder.h"
#include "tool.h"

namespace chandler::bench {
namespace {

// Where the text after `before` begins.
size_t place_after(std::string_view text, std::string_view before) {
  const size_t at = text.find(before);
  if (at == std::string_view::npos) fail(fmt::format("the object has no {}", before));
  return at + before.size();
}

void run(const Args& args) {
  std::ifstream file(args.text("file"));
  std::string object((std::istreambuf_iterator<char>(file)), {});
  const int64_t count = args.number("count");
  const size_t uid_at = place_after(object, R"("uid":")");
  storage::EmbeddedOptions options;
  options.directory = args.text("directory");
  auto builder = storage::DatabaseBuilder::create(options);
  if (!builder.ok()) fail(builder.error().message);
  const auto begin = Clock::now();
  uint64_t bytes = 0;
  for (int64_t i = 0; i < count; ++i) {
    object.replace(uid_at, 36, fmt::format("00000000-0000-4000-8000-{:012}", i));
    auto named = object;
    named.replace(place_after(named, R"("name":")"), std::string_view("item-0").size(), fmt::format("item-{}", i));
    bytes += named.size();
    const auto added = builder->add(i + 1, fmt::format("core/configmaps/default/item-{}", i), named);
    if (!added.ok()) fail(added.error().message);
  }
  if (const auto done = builder->finish(count, ""); !done.ok()) fail(done.error().message);
  fmt::print("objects={} seconds={:.3f} bytes={}\n", count, seconds_between(begin, Clock::now()), bytes);
}

}  // namespace
}  // namespace chandler::bench

int main(int argc, char** argv) {
  chandler::bench::run(chandler::bench::Args(argc, argv));
  return 0;
}
