// Where a server is and how to prove to it who we are. Cheap to copy; thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/credentials.h"
#include "http/client.h"

namespace chandler::client {

struct Connection {
  std::string server;   // "https://host:6443", no slash at the end; may have a path
  std::string ns;       // where names without a namespace are; "default" when nothing says otherwise
  std::string context;  // the name of the chosen context; empty in a pod
  std::string user;     // the name of the chosen user entry
  std::shared_ptr<Credentials> credentials;

  // A JSON request for `path` (with its query), credentials included. May block for a plugin.
  Result<http::ClientRequest> request(std::string_view method, std::string_view path) const;
};

}  // namespace chandler::client
