#include "http/client_check.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace chandler::http {
namespace {

constexpr size_t kMaxUrl = 64 * 1024;
constexpr size_t kMaxHeaderBytes = 256 * 1024;
constexpr unsigned int kUrlFlags = CURLU_DISALLOW_USER | CURLU_PATH_AS_IS;

struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, FreeUrl>;

ClientFailure bad(std::string message) { return {ClientFailure::Kind::kBadRequest, std::move(message)}; }

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

bool is_field_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c == '\t' || (c >= 0x20 && c != 0x7F); });
}

bool is_framing(std::string_view name) {
  for (const std::string_view ours : {"Content-Length", "Transfer-Encoding", "Connection", "Expect", "TE", "Upgrade"}) {
    if (equals_ignore_case(name, ours)) return true;
  }
  return false;
}

Result<Url, ClientFailure> parse(const std::string& text) {
  const bool visible = std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > 0x20 && c < 0x7F; });
  if (text.size() > kMaxUrl) return bad("the URL is longer than 64 KiB");
  if (!visible) return bad("the URL has blanks, control or non-ASCII characters; they must be percent-encoded");
  // Curl takes the path for the host when that is missing.
  if (const size_t at = text.find("://"); at != std::string::npos && text.substr(at + 3, 1) == "/") {
    return bad("the URL has no host");
  }
  Url url(curl_url());
  CH_CHECK(url != nullptr);
  const CURLUcode code = curl_url_set(url.get(), CURLUPART_URL, text.c_str(), kUrlFlags);
  if (code == CURLUE_USER_NOT_ALLOWED) return bad("the URL must not contain a user name or password");
  if (code != CURLUE_OK) {
    return bad(fmt::format("the URL is not a correct http or https URL: {}", curl_url_strerror(code)));
  }
  return url;
}

std::string part(const Url& url, CURLUPart which, unsigned int flags = 0) {
  char* text = nullptr;
  std::string copy;
  if (curl_url_get(url.get(), which, &text, flags) == CURLUE_OK) copy = text;
  curl_free(text);
  return copy;
}

}  // namespace

Result<void, ClientFailure> check_request(const ClientRequest& request) {
  if (!is_token(request.method)) return bad("the method is not an HTTP token");
  size_t bytes = 0;
  for (const auto& [name, value] : request.headers.fields()) {
    bytes += name.size() + value.size();
    if (!is_token(name)) return bad(fmt::format("header name {} is not an HTTP token", quoted(name.substr(0, 64))));
    if (is_framing(name)) return bad(fmt::format("header {} is set by the client itself", name));
    if (!is_field_value(value)) return bad(fmt::format("the value of header {} has control characters", name));
  }
  if (bytes > kMaxHeaderBytes) return bad("the headers are larger than 256 KiB");
  if (!request.tls) return {};
  if (request.tls->certificate_pem.empty() != request.tls->key_pem.empty()) {
    return bad("a client certificate needs its key, and a key its certificate");
  }
  if (request.tls->server_name.find_first_of(":/?#@[] \r\n") != std::string::npos) {
    return bad("the server name must be a host name without port");
  }
  return {};
}

Result<UrlParts, ClientFailure> split_url(const std::string& text) {
  CH_TRY_LET(url, parse(text));
  UrlParts parts;
  parts.scheme = to_lower(part(url, CURLUPART_SCHEME));
  if (parts.scheme != "http" && parts.scheme != "https") return bad("the URL must begin with http:// or https://");
  parts.host = part(url, CURLUPART_HOST);
  if (parts.host.empty()) return bad("the URL has no host");
  parts.port = part(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
  const std::string own_port = part(url, CURLUPART_PORT);
  parts.authority = own_port.empty() ? parts.host : parts.host + ":" + own_port;
  return parts;
}

Result<std::string, ClientFailure> with_host(const std::string& text, const std::string& host) {
  CH_TRY_LET(url, parse(text));
  if (curl_url_set(url.get(), CURLUPART_HOST, host.c_str(), 0) != CURLUE_OK) {
    return bad("the server name is not a correct host name");
  }
  return part(url, CURLUPART_URL);
}

bool is_this_machine(std::string_view host) {
  return equals_ignore_case(host, "localhost") || host == "[::1]" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos);
}

}  // namespace chandler::http
