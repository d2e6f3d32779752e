// The first two checks of every request: who asks (401) and which version is spoken (412). Immutable, thread-safe.
#pragma once

#include <optional>
#include <string>

#include "http/message.h"
#include "osb/server/reply.h"

namespace chandler::osb::server {

class Gate {
 public:
  // Both empty: everybody may ask.
  Gate(const std::string& username, const std::string& password);

  std::optional<Refusal> check_credentials(const http::Headers& headers) const;
  static std::optional<Refusal> check_version(const http::Headers& headers);

 private:
  bool open_ = false;
  std::string digest_;  // of "user:password"; comparing digests takes the same time whatever was sent
};

}  // namespace chandler::osb::server
