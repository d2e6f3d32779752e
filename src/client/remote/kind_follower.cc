#include "client/remote/kind_follower.h"

#include <algorithm>
#include <utility>

#include "base/ids.h"
#include "base/log.h"
#include "client/line_splitter.h"
#include "client/remote/wire_object.h"
#include "client/status_error.h"
#include "json/reader.h"

namespace chandler::client {
namespace {

constexpr size_t kMaxPageBytes = 256 * 1024 * 1024;
constexpr size_t kMaxLine = 16 * 1024 * 1024;
constexpr size_t kMaxWaiting = 64 * 1024 * 1024;  // bytes of events that have come and are not worked off
constexpr auto kGrace = std::chrono::seconds(30);

bool is_expired(const Error& error) { return error.reason == Reason::kExpired || error.http() == 410; }

// The server is there and refuses the very request: the same watch again would be refused again.
bool is_refusal(const Error& error) { return error.http() >= 400 && error.http() < 500 && error.http() != 429; }

}  // namespace

// One watch. The HTTP client's thread cuts it into lines.
struct KindFollower::Stream {
  LineSplitter splitter{kMaxLine};
  std::atomic<size_t> waiting{0};
  http::Client::Ticket ticket = 0;
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  bool had_event = false;
};

KindFollower::KindFollower(std::shared_ptr<KindStore> store, std::shared_ptr<Sender> sender, FollowOptions options,
                           Changed changed)
    : store_(std::move(store)),
      sender_(std::move(sender)),
      options_(options),
      changed_(std::move(changed)),
      resource_{store_->kind().group, store_->kind().storage_version().name, store_->kind().plural},
      back_off_(options.first_delay, options.last_delay),
      page_(options.page) {}

void KindFollower::start() {
  sender_->tasks().post([self = shared_from_this()] { self->begin_list(); });
}

void KindFollower::stop() { drop_stream(); }

std::string KindFollower::problem() const {
  MutexLock lock(problem_mutex_);
  return problem_;
}

void KindFollower::report(std::string problem) {
  {
    MutexLock lock(problem_mutex_);
    if (problem_ == problem) return;  // said already
    problem_ = problem;
  }
  if (problem.empty()) {
    log::info("following a kind again", {{"resource", resource_.plural}, {"group", resource_.group}});
  } else {
    log::warn("cannot follow a kind; trying again",
              {{"resource", resource_.plural}, {"group", resource_.group}, {"why", problem}});
  }
}

void KindFollower::begin_list() {
  drop_stream();
  listing_.clear();
  continue_.clear();
  next_page();
}

void KindFollower::next_page() {
  QueryParameters parameters;
  if (page_ > 0) parameters.emplace_back("limit", std::to_string(page_));
  if (!continue_.empty()) parameters.emplace_back("continue", continue_);
  Sender::Message message;
  message.path = resource_path(resource_, "") + query_text(parameters);
  message.max_body_bytes = kMaxPageBytes;
  sender_->send(std::move(message), [weak = weak_from_this()](Result<json::Value> answer) {
    if (const auto self = weak.lock()) self->on_page(std::move(answer));
  });
}

void KindFollower::on_page(Result<json::Value> answer) {
  if (!answer.ok()) {
    auto error = std::move(answer).error();
    if (error.reason == Reason::kRequestEntityTooLarge) {
      page_ = page_ == 0 ? options_.page : std::max<size_t>(1, page_ / 4);
    } else if (is_expired(error) && !continue_.empty()) {
      page_ = 0;  // the list took longer than the server remembers: all at once
    } else if (error.http() == 404) {
      error.message =
          "the server does not serve this kind; install its CustomResourceDefinition (" + error.message + ")";
    }
    return list_later(error);
  }
  const auto revision = revision_of(*answer);
  auto* items = json::find(*answer, "items");
  if (!revision.ok()) return list_later(revision.error());
  if (items == nullptr || !items->is_array()) return list_later(unavailable("the server sent a list without items"));
  for (auto& item : items->get_array()) {
    auto document = read_object(std::move(item), store_->kind());
    if (!document.ok()) {
      log::warn("an object could not be read",
                {{"resource", resource_.plural}, {"group", resource_.group}, {"error", document.error().message}});
      continue;
    }
    listing_.push_back(std::move(document).value());
  }
  auto next = json::string_or(answer->at("metadata"), "continue");
  if (next.empty()) return finish_list(*revision);
  if (next == continue_) return list_later(unavailable("the server sends the same page again and again"));
  continue_ = std::move(next);
  next_page();
}

void KindFollower::finish_list(registry::Revision revision) {
  if (page_ == 0) page_ = options_.page;
  const auto changes = store_->replace(std::exchange(listing_, {}), revision);
  report("");
  back_off_.reset();
  changed_(changes);
  watch();
}

void KindFollower::watch() {
  drop_stream();
  const auto random = static_cast<unsigned char>(random_bytes(1).front());
  const auto timeout = options_.watch_timeout + options_.watch_timeout * random / 256;
  const QueryParameters parameters{{"watch", "1"},
                                   {"allowWatchBookmarks", "true"},
                                   {"resourceVersion", std::to_string(store_->seen())},
                                   {"timeoutSeconds", std::to_string(timeout.count())}};
  const auto stream = std::make_shared<Stream>();
  stream_ = stream;
  const std::weak_ptr<KindFollower> weak = weak_from_this();
  const std::weak_ptr<Sender> sender = sender_;
  const auto piece = [weak, sender, stream](std::string_view bytes) {
    auto lines = std::make_shared<std::vector<std::string>>();
    const bool sound = stream->splitter.add(bytes, [&](std::string_view line) {
      lines->emplace_back(line);
      stream->waiting += line.size();
      return true;
    });
    const auto to = sender.lock();
    if (to == nullptr) return false;
    to->tasks().post([weak, stream, lines] {
      if (const auto self = weak.lock()) self->on_lines(stream, *lines);
    });
    // More than we can take: cut off here, and resumed where the last event was.
    return sound && stream->waiting < kMaxWaiting;
  };
  stream->ticket = sender_->stream(resource_path(resource_, "") + query_text(parameters), timeout + kGrace, piece,
                                   [weak, stream](const Result<void>& result) {
                                     if (const auto self = weak.lock()) self->on_end(stream, result);
                                   });
}

void KindFollower::on_lines(const std::shared_ptr<Stream>& stream, const std::vector<std::string>& lines) {
  for (const auto& line : lines) {
    stream->waiting -= line.size();
    if (stream != stream_) return;
    stream->had_event = true;
    if (!on_event(line)) return;
    report("");
    back_off_.reset();
  }
}

bool KindFollower::on_event(std::string_view line) {
  auto event = json::parse(line);
  auto* object = event.ok() ? json::find(*event, "object") : nullptr;
  if (object == nullptr || !object->is_object()) {
    watch_later(unavailable("the server sent something that is no watch event"));
    return false;
  }
  const auto type = json::string_or(*event, "type");
  if (type == "ERROR") {
    const auto error = error_of_status(*object);
    if (is_expired(error) || is_refusal(error)) {
      list_later(error);
    } else {
      watch_later(error);
    }
    return false;
  }
  const auto revision = revision_of(*object);
  if (!revision.ok()) {
    list_later(revision.error());
    return false;
  }
  DocumentChanges changes;
  if (type != "BOOKMARK") {
    auto document = read_object(std::move(*object), store_->kind());
    if (!document.ok()) {
      log::warn("an object could not be read",
                {{"resource", resource_.plural}, {"group", resource_.group}, {"error", document.error().message}});
    } else {
      changes = type == "DELETED" ? store_->remove(**document) : store_->put(std::move(document).value());
    }
  }
  store_->advance(*revision);
  changed_(changes);
  return true;
}

void KindFollower::on_end(const std::shared_ptr<Stream>& stream, const Result<void>& result) {
  if (stream != stream_) return;
  stream_.reset();
  if (!result.ok()) {
    const auto& error = result.error();
    return is_expired(error) || is_refusal(error) ? list_later(error) : watch_later(error);
  }
  const bool lived = std::chrono::steady_clock::now() - stream->began >= options_.short_watch;
  if (stream->had_event || lived) return watch();
  watch_later(unavailable("the server ended a watch at once"));
}

void KindFollower::drop_stream() {
  if (const auto stream = std::exchange(stream_, nullptr); stream != nullptr && stream->ticket != 0) {
    sender_->cancel(stream->ticket);
  }
}

void KindFollower::list_later(const Error& why) { after_pause(why, &KindFollower::begin_list); }

void KindFollower::watch_later(const Error& why) { after_pause(why, &KindFollower::watch); }

void KindFollower::after_pause(const Error& why, void (KindFollower::*next)()) {
  drop_stream();
  // Having fallen behind is nothing to report; a list puts it right.
  if (!is_expired(why)) report(why.message);
  auto pause = back_off_.next();
  if (why.retry_after_seconds) {
    pause = std::max<std::chrono::milliseconds>(pause, std::chrono::seconds(*why.retry_after_seconds));
    pause = std::min(pause, options_.last_delay * 2);
  }
  sender_->tasks().post_after(pause, [weak = weak_from_this(), next] {
    if (const auto self = weak.lock()) ((*self).*next)();
  });
}

}  // namespace chandler::client
