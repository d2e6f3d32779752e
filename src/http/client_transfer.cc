#include "http/client_transfer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "http/client_check.h"

namespace chandler::http {
namespace {

using Kind = ClientFailure::Kind;

constexpr size_t kMaxHeaderBytes = 64 * 1024;
constexpr size_t kMaxHeaderFields = 256;
constexpr long kKeepAliveSeconds = 30;
constexpr long kMaxIdleSeconds = 90;  // an older connection is not used again: the peer is likely to be closing it

void add(Slist& list, const std::string& text) {
  // The list stays valid when there is no memory; the header is then missing, so that is not an option.
  curl_slist* longer = curl_slist_append(list.get(), text.c_str());
  CH_CHECK(longer != nullptr);
  (void)list.release();  // part of the longer one
  list.reset(longer);
}

// Without a copy: the request outlives the handle's use of it.
curl_blob blob_of(const std::string& pem) {
  curl_blob blob{};
  blob.data = const_cast<char*>(pem.data());
  blob.len = pem.size();
  blob.flags = CURL_BLOB_NOCOPY;
  return blob;
}

// Curl's words may quote what the peer sent.
std::string printable(std::string_view text) {
  std::string clean(text.substr(0, 200));
  std::replace_if(
      clean.begin(), clean.end(), [](unsigned char c) { return c < 0x20 || c >= 0x7F; }, ' ');
  return clean;
}

bool takes_body(std::string_view method) { return method == "POST" || method == "PUT" || method == "PATCH"; }

bool may_be_repeated(std::string_view method) { return method != "POST" && method != "PATCH"; }

}  // namespace

ClientTransfer::ClientTransfer(Client::Ticket ticket, ClientRequest request, Client::Done done)
    : ticket_(ticket), request_(std::move(request)), done_(std::move(done)) {}

Result<void, ClientFailure> ClientTransfer::prepare(CURL* easy, const std::string& user_agent, UrlReader& urls) {
  easy_ = easy;
  CH_TRY(check_request(request_));
  curl_easy_setopt(easy, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_.data());
  CH_TRY(set_url(urls));
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  // A look-up of a name that hangs must not hold the thread when its request is over; despite the option's name curl
  // then leaves the look-up to end by itself and frees what it used.
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, kKeepAliveSeconds);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, kKeepAliveSeconds);
  curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, kMaxIdleSeconds);
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, user_agent.c_str());
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(std::max<int64_t>(0, request_.timeout.count())));
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(std::max<int64_t>(1, request_.connect_timeout.count())));
  if (request_.addresses || is_this_machine(parts_->host)) curl_easy_setopt(easy, CURLOPT_PROXY, "");

  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &ClientTransfer::on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &ClientTransfer::on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &ClientTransfer::on_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, this);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &ClientTransfer::on_ready);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, this);
  set_method();
  CH_TRY(set_tls());
  set_headers();
  return {};
}

// Curl copies the URL.
Result<void, ClientFailure> ClientTransfer::set_url(UrlReader& urls) {
  CH_TRY_LET(parts, urls.read(request_.url));
  parts_ = std::move(parts);
  if (!request_.tls || request_.tls->server_name.empty() || parts_->scheme != "https") {
    curl_easy_setopt(easy_, CURLOPT_URL, request_.url.c_str());
    return {};
  }
  // Curl takes the name for handshake and certificate from the URL; so the URL gets it, and the connection is led to
  // where the request really goes.
  CH_TRY_LET(renamed, with_host(request_.url, request_.tls->server_name));
  curl_easy_setopt(easy_, CURLOPT_URL, renamed.c_str());
  add(connect_to_, fmt::format("{}:{}:{}:{}", request_.tls->server_name, parts_->port, parts_->host, parts_->port));
  curl_easy_setopt(easy_, CURLOPT_CONNECT_TO, connect_to_.get());
  if (!request_.headers.has("Host")) request_.headers.add("Host", parts_->authority);
  return {};
}

void ClientTransfer::set_method() {
  if (request_.method == "HEAD") {
    curl_easy_setopt(easy_, CURLOPT_NOBODY, 1L);
    return;
  }
  if (takes_body(request_.method) || !request_.body.empty()) {
    curl_easy_setopt(easy_, CURLOPT_POST, 1L);
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDS, request_.body.data());
  }
  curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
}

// Curl only reads the list, so it need not be made of pieces by curl itself.
void ClientTransfer::set_headers() {
  const auto line = [this](std::string_view name, std::string_view middle, std::string_view value) {
    header_lines_.append(name).append(middle).append(value).push_back('\0');
  };
  const auto& fields = request_.headers.fields();
  size_t bytes = 64;
  for (const auto& [name, value] : fields) bytes += name.size() + value.size() + 3;
  header_lines_.reserve(bytes);
  for (const auto& [name, value] : fields) line(name, value.empty() ? ";" : ": ", value);
  line("Expect:", "", "");                                                   // no waiting for "100 Continue"
  if (!request_.headers.has("Content-Type")) line("Content-Type:", "", "");  // nor a form's type

  headers_.reserve(fields.size() + 2);  // so that they do not move
  char* const end = header_lines_.data() + header_lines_.size();
  for (char* at = header_lines_.data(); at != end; at += std::strlen(at) + 1) {
    if (!headers_.empty()) headers_.back().next = headers_.data() + headers_.size();
    headers_.push_back({at, nullptr});
  }
  curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, headers_.data());
}

Result<void, ClientFailure> ClientTransfer::set_tls() {
  curl_easy_setopt(easy_, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!request_.tls || parts_->scheme != "https") return {};
  const ClientTls& tls = *request_.tls;
  if (tls.insecure) {
    curl_easy_setopt(easy_, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy_, CURLOPT_SSL_VERIFYHOST, 0L);
  }
  if (!tls.ca_pem.empty()) {
    const curl_blob ca = blob_of(tls.ca_pem);
    curl_easy_setopt(easy_, CURLOPT_CAINFO_BLOB, &ca);
    // The blob replaces the system's file of roots but not its folder of roots.
    curl_easy_setopt(easy_, CURLOPT_CAINFO, nullptr);
    curl_easy_setopt(easy_, CURLOPT_CAPATH, nullptr);
  }
  if (tls.certificate_pem.empty()) return {};
  const curl_blob certificate = blob_of(tls.certificate_pem);
  const curl_blob key = blob_of(tls.key_pem);
  curl_easy_setopt(easy_, CURLOPT_SSLCERT_BLOB, &certificate);
  curl_easy_setopt(easy_, CURLOPT_SSLKEY_BLOB, &key);
  return {};
}

size_t ClientTransfer::on_header(char* data, size_t size, size_t count, void* self) {
  return static_cast<ClientTransfer*>(self)->take_header({data, size * count}) ? size * count : 0;
}

size_t ClientTransfer::on_body(char* data, size_t size, size_t count, void* self) {
  return static_cast<ClientTransfer*>(self)->take_body({data, size * count}) ? size * count : 0;
}

template <typename Address>
bool ClientTransfer::refuses(const Address& address) {
  if (!request_.addresses) return false;
  std::string why = request_.addresses->refusal(address);
  if (why.empty()) return false;
  refusal_ = std::move(why);
  return true;
}

curl_socket_t ClientTransfer::on_socket(void* self, curlsocktype, curl_sockaddr* address) {
  auto* transfer = static_cast<ClientTransfer*>(self);
  if (transfer->refuses(address->addr)) return CURL_SOCKET_BAD;
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// Right before the request is sent, on a new or a kept connection.
int ClientTransfer::on_ready(void* self, char* address, char*, int, int) {
  auto* transfer = static_cast<ClientTransfer*>(self);
  // A kept connection may have been made by a request that was allowed to go there.
  if (transfer->refuses(std::string_view(address))) return CURL_PREREQFUNC_ABORT;
  if (++transfer->attempts_ > 1 && !may_be_repeated(transfer->request_.method)) {
    transfer->given_up_ = true;
    return CURL_PREREQFUNC_ABORT;
  }
  return CURL_PREREQFUNC_OK;
}

// Status lines, fields, the empty line at the end; for interim answers too, and trailers after the body.
bool ClientTransfer::take_header(std::string_view line) {
  header_bytes_ += line.size();
  if (header_bytes_ > kMaxHeaderBytes || response_.headers.fields().size() >= kMaxHeaderFields) {
    too_large_ = true;
    return false;
  }
  if (head_complete_) return true;
  if (line.starts_with("HTTP/")) {
    long status = 0;
    curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    response_.status = static_cast<int>(status);
    response_.headers = {};
    return true;
  }
  const std::string_view text = trim(line);
  if (text.empty()) {
    head_complete_ = response_.status >= 200;
    return true;
  }
  const size_t colon = text.find(':');
  if (colon != std::string_view::npos) response_.headers.add(text.substr(0, colon), trim(text.substr(colon + 1)));
  return true;
}

bool ClientTransfer::take_body(std::string_view piece) {
  const bool streams = request_.on_piece && response_.status >= 200 && response_.status < 300;
  if (streams) {
    ended_ = !request_.on_piece(piece);
    return !ended_;
  }
  if (piece.size() > request_.max_body_bytes - std::min(request_.max_body_bytes, response_.body.size())) {
    too_large_ = true;
    return false;
  }
  response_.body += piece;
  return true;
}

bool ClientTransfer::was_sent() const {
  long bytes = 0;  // counts a proxy's CONNECT as well, hence the attempts
  if (easy_ != nullptr) curl_easy_getinfo(easy_, CURLINFO_REQUEST_SIZE, &bytes);
  return attempts_ > 0 && bytes > 0;
}

ClientFailure ClientTransfer::failure(Kind kind, std::string_view what) const {
  return {kind, fmt::format("{}: {}", parts_->place, what), was_sent()};
}

ClientFailure ClientTransfer::cancelled() const { return failure(Kind::kCancelled, "the request was cancelled"); }

ClientOutcome ClientTransfer::outcome(CURLcode code) {
  if ((code == CURLE_OK && head_complete_) || ended_) return std::move(response_);
  if (!refusal_.empty()) return failure(Kind::kRefused, "the address is not allowed: " + refusal_);
  if (too_large_) {
    return failure(Kind::kTooLarge, fmt::format("the answer is larger than allowed ({} bytes of body, {} of headers)",
                                                request_.max_body_bytes, kMaxHeaderBytes));
  }
  // Curl is content when the connection ends inside the head.
  if (given_up_ || code == CURLE_OK)
    return {ClientFailure{Kind::kBroken, parts_->place + ": the connection broke before the answer", true}};
  return explain(code);
}

ClientFailure ClientTransfer::explain(CURLcode code) const {
  const std::string detail = printable(error_[0] != '\0' ? error_.data() : curl_easy_strerror(code));
  if (code == CURLE_OPERATION_TIMEDOUT) {
    if (was_sent()) {
      return failure(Kind::kTimeout, fmt::format("no complete answer within {} ms", request_.timeout.count()));
    }
    return failure(Kind::kConnect, "no connection in time");
  }
  if (was_sent()) return failure(Kind::kBroken, "the connection broke before the answer was complete: " + detail);
  switch (code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_BAD_FUNCTION_ARGUMENT:
      return failure(Kind::kBadRequest, detail);
    case CURLE_SSL_CACERT_BADFILE:
      return failure(Kind::kBadRequest, "the CA certificates cannot be read: they must be PEM");
    case CURLE_SSL_CERTPROBLEM:
      return failure(Kind::kBadRequest, "the client certificate and its key cannot be used: " + detail);
    case CURLE_COULDNT_RESOLVE_HOST:
      return failure(Kind::kConnect, "the name cannot be resolved");
    case CURLE_PEER_FAILED_VERIFICATION:
      return failure(
          Kind::kConnect,
          fmt::format("the server's certificate is not accepted: {}; trust its CA or correct the host name", detail));
    case CURLE_COULDNT_CONNECT: {
      long number = 0;
      curl_easy_getinfo(easy_, CURLINFO_OS_ERRNO, &number);
      return failure(
          Kind::kConnect,
          number == 0 ? detail : fmt::format("cannot connect: {}", ::strerrordesc_np(static_cast<int>(number))));
    }
    default:
      return failure(Kind::kConnect, detail);
  }
}

}  // namespace chandler::http
