#include "http/client_check.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace chandler::http {
namespace {

constexpr size_t kMaxUrl = 64 * 1024;
constexpr size_t kMaxHeaderBytes = 256 * 1024;
constexpr unsigned int kUrlFlags = CURLU_DISALLOW_USER | CURLU_PATH_AS_IS;
constexpr size_t kMostKnownOrigins = 256;  // then all are forgotten

struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, FreeUrl>;

ClientFailure bad(std::string message) { return {ClientFailure::Kind::kBadRequest, std::move(message)}; }

constexpr std::array<bool, 256> token_characters() {
  std::array<bool, 256> out{};
  for (const char c :
       std::string_view("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!#$%&'*+-.^_`|~")) {
    out[static_cast<unsigned char>(c)] = true;
  }
  return out;
}

bool is_token(std::string_view text) {
  static constexpr auto kInToken = token_characters();
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return kInToken[c]; });
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

Result<void, ClientFailure> check_characters(const std::string& text) {
  const bool visible = std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > 0x20 && c < 0x7F; });
  if (text.size() > kMaxUrl) return bad("the URL is longer than 64 KiB");
  if (!visible) return bad("the URL has blanks, control or non-ASCII characters; they must be percent-encoded");
  return {};
}

Result<Url, ClientFailure> parse(const std::string& text) {
  CH_TRY(check_characters(text));
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
  parts.place = parts.host + ":" + parts.port;
  return parts;
}

// What stands in front of path, query and fragment; empty when there is no authority.
std::string_view origin_of(std::string_view url) {
  const size_t colon = url.find("://");
  if (colon == std::string_view::npos) return {};
  const size_t begin = colon + 3;
  const size_t end = std::min(url.find_first_of("/?#", begin), url.size());
  return end == begin ? std::string_view() : url.substr(0, end);
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

Result<std::shared_ptr<const UrlParts>, ClientFailure> UrlReader::read(const std::string& text) {
  CH_TRY(check_characters(text));
  const std::string_view origin = origin_of(text);
  if (const auto found = known_.find(origin); found != known_.end()) return found->second;
  CH_TRY_LET(parts, split_url(text));
  auto shared = std::make_shared<const UrlParts>(std::move(parts));
  if (origin.empty()) return {std::move(shared)};
  if (known_.size() >= kMostKnownOrigins) known_.clear();
  known_.emplace(origin, shared);
  return {std::move(shared)};
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
