#include "catalog_watch.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <charconv>

#include "base/find_text.h"
#include "json/text_scan.h"
#include "tool.h"

namespace chandler::bench {
namespace {

// The end of a condition as the server writes it, members in order: the client shares its processors, and is to take
// as little of them as it can. Whoever is Ready and does not match is missed, and the run fails.
constexpr std::string_view kReady = R"("status":"True","type":"Ready"})";
constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr size_t kChunkEnd = 2;  // an empty line after its bytes

}  // namespace

ReadyWatch::ReadyWatch(SSL_CTX& context, int port, const std::string& collection, const std::string& revision,
                       const std::string& token)
    : connection_(context, port) {
  connection_.send(request_head(
      "GET", fmt::format("{}?watch=1&timeoutSeconds=600&resourceVersion={}", collection, revision), token));
  while (head_.find(kHeadEnd) == std::string::npos) {
    const auto bytes = connection_.receive();
    head_ += bytes;
    if (!bytes.empty()) continue;
    pollfd wait{connection_.descriptor(), POLLIN, 0};
    if (poll(&wait, 1, 30'000) != 1) fail("a watch was not answered");
  }
  if (!head_.starts_with("HTTP/1.1 200")) fail(fmt::format("a watch was refused: {}", head_));
  unframe(std::string_view(head_).substr(head_.find(kHeadEnd) + kHeadEnd.size()));
}

void ReadyWatch::unframe(std::string_view bytes) {
  while (!bytes.empty()) {
    if (left_ > kChunkEnd) {
      const size_t count = std::min(left_ - kChunkEnd, bytes.size());
      text_ += bytes.substr(0, count);
      left_ -= count;
      bytes.remove_prefix(count);
    } else if (left_ > 0) {
      const size_t count = std::min(left_, bytes.size());
      left_ -= count;
      bytes.remove_prefix(count);
    } else {
      const size_t end = bytes.find('\n');
      size_ += bytes.substr(0, end);
      if (end == std::string_view::npos) return;
      bytes.remove_prefix(end + 1);
      size_t size = 0;
      std::from_chars(size_.data(), size_.data() + size_.size(), size, 16);
      if (size == 0) fail("a watch has ended");
      size_.clear();
      left_ = size + kChunkEnd;
    }
  }
}

void ReadyWatch::read(const std::function<void(const std::string& name)>& ready) {
  for (auto bytes = connection_.receive(); !bytes.empty(); bytes = connection_.receive()) unframe(bytes);
  size_t begin = 0;
  for (size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n', begin)) {
    const auto line = std::string_view(text_).substr(begin, end - begin);
    begin = end + 1;
    if (find_text(line, kReady) == std::string_view::npos) continue;
    const auto object = json::member_text(line, "object");
    if (object.empty()) fail(fmt::format("an event cannot be read: {}", line));
    const auto name = json::member_text(json::member_text(object, "metadata"), "name");
    if (name.size() < 2) fail(fmt::format("an event without a name: {}", line));
    ready(std::string(name.substr(1, name.size() - 2)));
  }
  text_.erase(0, begin);
}

}  // namespace chandler::bench
