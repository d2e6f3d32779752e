#include "client/connection.h"

#include <utility>

namespace chandler::client {

Result<http::ClientRequest> Connection::request(std::string_view method, std::string_view path) const {
  http::ClientRequest out;
  out.method = method;
  out.url = server;
  out.url.append(path);
  out.headers.set("Accept", "application/json");
  CH_TRY(credentials->apply(out));
  return out;
}

}  // namespace chandler::client
