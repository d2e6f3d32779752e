#include "brokers/scripted/request_log.h"

#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.h"
#include "json/reader.h"

namespace chandler::brokers {
namespace {

constexpr size_t kMaxEntries = 20'000;  // per shard
constexpr size_t kMaxBytes = 64 << 20;  // of bodies, per shard

// Text that may not be UTF-8 as JSON can carry it.
json::Value text_of(std::string_view text) {
  if (is_valid_utf8(text)) return json::String(text);
  return json::String("base64:" + base64_encode(text));
}

json::Value query_of(std::string_view query) {
  json::Object all;
  if (query.empty()) return all;
  for (const auto piece : split(query, '&')) {
    const auto equals = std::min(piece.find('='), piece.size());
    const auto value = percent_decode(piece.substr(std::min(equals + 1, piece.size())), true);
    all[std::string(piece.substr(0, equals))] = text_of(value.value_or(""));
  }
  return all;
}

json::Value entry_of(const http::Request& request) {
  const std::string_view target = request.target;
  const auto mark = std::min(target.find('?'), target.size());
  json::Object headers;
  for (const auto& [name, value] : request.headers.fields()) {
    const bool is_secret = equals_ignore_case(name, "Authorization");
    headers[to_lower(name)] = is_secret ? json::Value(value.substr(0, value.find(' ')) + " ...") : text_of(value);
  }
  json::Value body;
  if (!request.body.empty()) {
    auto parsed = json::parse(request.body);
    body = parsed.ok() ? std::move(*parsed) : text_of(request.body);
  }
  return json::Object{{"method", request.method_text},
                      {"path", text_of(target.substr(0, mark))},
                      {"query", query_of(target.substr(std::min(mark + 1, target.size())))},
                      {"headers", std::move(headers)},
                      {"body", std::move(body)}};
}

}  // namespace

void RequestLog::add(std::shared_ptr<const http::Request> request) {
  auto& shard = shards_[std::hash<std::thread::id>()(std::this_thread::get_id()) % kShards];
  const uint64_t number = counter_.fetch_add(1);
  MutexLock lock(shard.mutex);
  shard.bytes += request->body.size();
  shard.entries.push_back({number, std::move(request)});
  while (shard.entries.size() > kMaxEntries || shard.bytes > kMaxBytes) {
    shard.bytes -= shard.entries.front().request->body.size();
    shard.entries.pop_front();
    ++shard.dropped;
  }
}

json::Value RequestLog::write() const {
  std::vector<Entry> all;
  uint64_t dropped = 0;
  for (const auto& shard : shards_) {
    MutexLock lock(shard.mutex);
    all.insert(all.end(), shard.entries.begin(), shard.entries.end());
    dropped += shard.dropped;
  }
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.number < b.number; });
  json::Array list;
  for (const auto& entry : all) list.push_back(entry_of(*entry.request));
  return json::Object{{"requests", std::move(list)}, {"dropped", dropped}};
}

void RequestLog::clear() {
  for (auto& shard : shards_) {
    MutexLock lock(shard.mutex);
    shard.entries.clear();
    shard.bytes = 0;
    shard.dropped = 0;
  }
}

}  // namespace chandler::brokers
