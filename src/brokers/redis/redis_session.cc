#include "brokers/redis/redis_session.h"

#include <hiredis.h>

#include <fmt/format.h>

namespace chandler::brokers {
namespace {

constexpr timeval kConnectTime{5, 0};
constexpr timeval kCallTime{60, 0};
constexpr int kMaxDepth = 4;

redisContext* raw(void* handle) { return static_cast<redisContext*>(handle); }

RedisReply convert(const redisReply& reply, int depth) {
  RedisReply made;
  made.number = reply.integer;
  if (reply.str != nullptr) made.text.assign(reply.str, reply.len);
  for (size_t i = 0; i < reply.elements && depth < kMaxDepth; ++i) {
    made.items.push_back(convert(*reply.element[i], depth + 1));
  }
  return made;
}

}  // namespace

void RedisSession::Close::operator()(void* handle) const { redisFree(raw(handle)); }

Result<RedisSession> RedisSession::connect(const ServerAddress& server) {
  RedisSession session(server.label());
  session.handle_.reset(redisConnectWithTimeout(server.host.c_str(), server.port, kConnectTime));
  auto* handle = raw(session.handle_.get());
  if (handle == nullptr) return unavailable("out of memory");
  if (handle->err != 0)
    return unavailable(fmt::format("cannot reach the Redis server at {}: {}", session.label_, handle->errstr));
  redisSetTimeout(handle, kCallTime);
  CH_TRY(session.command({"AUTH", server.username, server.password}));
  CH_TRY(session.command({"PING"}));  // fails while the server reads its data
  return session;
}

Result<RedisReply> RedisSession::command(const std::vector<std::string>& words) {
  std::vector<const char*> texts;
  std::vector<size_t> lengths;
  for (const auto& word : words) {
    texts.push_back(word.data());
    lengths.push_back(word.size());
  }
  auto* handle = raw(handle_.get());
  auto* reply =
      static_cast<redisReply*>(redisCommandArgv(handle, static_cast<int>(words.size()), texts.data(), lengths.data()));
  if (reply == nullptr) return unavailable(fmt::format("the Redis server at {} is gone: {}", label_, handle->errstr));
  auto converted = convert(*reply, 0);
  const bool is_error = reply->type == REDIS_REPLY_ERROR;
  freeReplyObject(reply);
  if (is_error) return unavailable(fmt::format("the Redis server at {} says: {}", label_, converted.text));
  return converted;
}

}  // namespace chandler::brokers
