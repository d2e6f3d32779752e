// What of an outgoing request is looked at before curl sees it, so that no URL or header value from outside can smuggle
// in a header, user information or another protocol. Pure, but for what UrlReader remembers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/text_hash.h"
#include "http/client.h"

namespace chandler::http {

struct UrlParts {
  std::string scheme;     // http, https
  std::string host;       // with brackets around IPv6
  std::string port;       // the default one when there is none
  std::string authority;  // host and port as the URL has them
  std::string place;      // host and port, for messages
};

Result<void, ClientFailure> check_request(const ClientRequest& request);
// The URL with another host.
Result<std::string, ClientFailure> with_host(const std::string& url, const std::string& host);
// Whether a host is this machine by its very name: such a request needs no proxy.
bool is_this_machine(std::string_view host);

// Checks URLs and splits them. What it says of one depends on what stands in front of the path alone, once all of it is
// known to be harmless characters; and most requests go where earlier ones went. So that is remembered. Belongs to one
// thread.
class UrlReader {
 public:
  Result<std::shared_ptr<const UrlParts>, ClientFailure> read(const std::string& url);

 private:
  // By scheme and authority as they are written: "https://broker.example:8443".
  StableTextMap<std::shared_ptr<const UrlParts>> known_;
};

}  // namespace chandler::http
