// A connection to a Redis server; the library behind it is named in the .cc file only. Commands are sent as lists of
// words, so nothing needs quoting. Every call is bounded in time. Used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "brokers/database/server_address.h"

namespace chandler::brokers {

struct RedisReply {
  std::string text;
  int64_t number = 0;
  std::vector<RedisReply> items;
};

class RedisSession {
 public:
  static Result<RedisSession> connect(const ServerAddress& server);

  // An error that the server answers is an Error; it never holds the words of the command.
  Result<RedisReply> command(const std::vector<std::string>& words);

 private:
  struct Close {
    void operator()(void* handle) const;
  };
  explicit RedisSession(std::string label) : label_(std::move(label)) {}

  std::string label_;  // of the server
  std::unique_ptr<void, Close> handle_;
};

}  // namespace chandler::brokers
