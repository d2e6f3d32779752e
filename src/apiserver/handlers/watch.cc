#include <algorithm>
#include <chrono>
#include <random>

#include <fmt/format.h>

#include "apiserver/handlers/handlers.h"
#include "apiserver/lanes/enter_lane.h"
#include "apiserver/list_options.h"
#include "apiserver/respond.h"
#include "apiserver/watch_stream.h"
#include "base/text.h"

namespace chandler::apiserver {
namespace {

constexpr int64_t kShortestDefault =
    30 * 60;  // seconds; each watch gets its own end, so that not all come back at once
constexpr int64_t kLongestDefault = 60 * 60;
constexpr size_t kInlineInitial = 2000;  // watches that begin with more objects are opened on the pool

Result<std::chrono::seconds> watch_length(const Call& call) {
  const auto text = call.info.query.get("timeoutSeconds");
  if (text.empty()) {
    thread_local std::minstd_rand random{std::random_device{}()};
    return std::chrono::seconds(std::uniform_int_distribution<int64_t>(kShortestDefault, kLongestDefault)(random));
  }
  const auto seconds = parse_int64(text);
  if (!seconds) return bad_request(fmt::format("timeoutSeconds: Invalid value: {}: must be a number", quoted(text)));
  return std::chrono::seconds(std::clamp<int64_t>(*seconds, 0, 24 * 60 * 60));
}

// With everything that is there now.
void open_from_present(const Services& services, const CallPtr& call, WatchStart start) {
  auto page = services.cache.list(*call->kind, start.query);
  if (!page.ok()) return respond_error(services, *call, page.error());
  start.initial = std::move(page->items);
  start.after = page->revision;
  start_watch(services, call, std::move(start));
}

}  // namespace

void handle_watch(const Services& services, const CallPtr& call) {
  if (call->output.media != MediaType::kJson) {
    return respond_error(services, *call, not_acceptable("application/json"));
  }
  call->output.pretty = false;
  auto options = list_options(services, *call, true);
  if (!options.ok()) return respond_error(services, *call, options.error());
  auto length = watch_length(*call);
  if (!length.ok()) return respond_error(services, *call, length.error());

  WatchStart start;
  start.query = std::move(options->query);
  start.bookmarks = call->info.query.flag("allowWatchBookmarks");
  start.end = services.clock.mono() + *length;
  start.after = options->revision;
  const bool only_new = options->initial_events == false;
  start.mark_initial = options->initial_events == true && start.bookmarks;
  if (only_new && options->revision == 0) {
    start.after = services.cache.revision();
  } else if (options->revision == 0 || options->initial_events == true) {
    const size_t reach = services.cache.reach(*call->kind, start.query);
    if (reach <= kInlineInitial) return open_from_present(services, call, std::move(start));
    // Costs a seat only while it starts: the answer gives it back.
    auto shared = std::make_shared<WatchStart>(std::move(start));
    return run_heavy(services, call, list_width(reach),
                     [&services, call, shared] { open_from_present(services, call, std::move(*shared)); });
  }
  start_watch(services, call, std::move(start));
}

}  // namespace chandler::apiserver
