// What of an outgoing request is looked at before curl sees it, so that no URL or header value from outside can smuggle
// in a header, user information or another protocol. Pure.
#pragma once

#include <string>
#include <string_view>

#include "http/client.h"

namespace chandler::http {

struct UrlParts {
  std::string scheme;     // http, https
  std::string host;       // with brackets around IPv6
  std::string port;       // the default one when there is none
  std::string authority;  // host and port as the URL has them
};

Result<void, ClientFailure> check_request(const ClientRequest& request);
Result<UrlParts, ClientFailure> split_url(const std::string& url);
// The URL with another host.
Result<std::string, ClientFailure> with_host(const std::string& url, const std::string& host);
// Whether a host is this machine by its very name: such a request needs no proxy.
bool is_this_machine(std::string_view host);

}  // namespace chandler::http
