#include "http/request_parser.h"

#include "http/asio.h"

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "base/spare_text.h"
#include "base/text.h"

namespace chandler::http {

namespace beast = boost::beast;
namespace bhttp = boost::beast::http;

namespace {

// Room made at once for an announced body. More is grown as bytes arrive, so that an announcement alone costs nothing.
constexpr uint64_t kReserve = 256 * 1024;

// The most that may lie between two chunks: a chunk line with its extensions, or the last one with the trailers. Beast
// reads the last chunk line again with each piece of the trailers that arrives, so long ones would cost the square of
// their size. Go's server allows as much.
constexpr size_t kChunkLineLimit = 4 * 1024;

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

Method method_of(bhttp::verb verb) {
  switch (verb) {
    case bhttp::verb::get:
      return Method::kGet;
    case bhttp::verb::head:
      return Method::kHead;
    case bhttp::verb::post:
      return Method::kPost;
    case bhttp::verb::put:
      return Method::kPut;
    case bhttp::verb::patch:
      return Method::kPatch;
    case bhttp::verb::delete_:
      return Method::kDelete;
    case bhttp::verb::options:
      return Method::kOptions;
    default:
      return Method::kOther;
  }
}

// Beast's grammar with our storage: fields and content go straight into the Request.
class Grammar final : public bhttp::basic_parser<true> {
 public:
  Grammar(size_t head_limit, size_t body_limit) : request_(std::make_shared<Request>()) {
    eager(true);
    header_limit(static_cast<uint32_t>(std::min<size_t>(head_limit, UINT32_MAX)));
    this->body_limit(body_limit);
  }

  std::shared_ptr<Request> take() { return std::move(request_); }
  bool is_http_1_0() const { return version_ == 10; }
  bool expects_continue() const { return expects_continue_; }
  size_t hosts() const { return hosts_; }
  bool has_unknown_coding() const { return has_coding_ && !chunked(); }

 private:
  void on_request_impl(bhttp::verb verb, beast::string_view method, beast::string_view target, int version,
                       beast::error_code&) override {
    request_->method = method_of(verb);
    request_->method_text = view(method);
    request_->target = view(target);
    version_ = version;
  }
  void on_response_impl(int, beast::string_view, int, beast::error_code&) override {}
  void on_field_impl(bhttp::field field, beast::string_view name, beast::string_view value,
                     beast::error_code&) override {
    // A trailer must never pass for a header: whoever checked the head did not see it.
    if (head_done_) return;
    if (field == bhttp::field::host) ++hosts_;
    if (field == bhttp::field::transfer_encoding) has_coding_ = true;
    if (field == bhttp::field::expect) expects_continue_ = equals_ignore_case(view(value), "100-continue");
    request_->headers.add(view(name), view(value));
  }
  void on_header_impl(beast::error_code&) override { head_done_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, beast::error_code&) override {
    if (!length || *length == 0) return;
    request_->body = take_spare_text();
    request_->body.reserve(static_cast<size_t>(std::min(*length, kReserve)));
  }
  std::size_t on_body_impl(beast::string_view bytes, beast::error_code&) override {
    request_->body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, beast::error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view bytes, beast::error_code&) override {
    request_->body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_finish_impl(beast::error_code&) override {}

  std::shared_ptr<Request> request_;
  int version_ = 11;
  size_t hosts_ = 0;
  bool head_done_ = false;
  bool has_coding_ = false;
  bool expects_continue_ = false;
};

}  // namespace

class RequestParser::State {
 public:
  State(size_t head_limit_in, size_t body_limit_in) : head_limit(head_limit_in), body_limit(body_limit_in) {}

  void fail(const beast::error_code& ec) {
    if (ec == bhttp::error::header_limit) return fail(431, "the request head is too large");
    if (ec == bhttp::error::body_limit) return fail(413, "the request body is too large");
    fail(400, "malformed request: " + ec.message());
  }

  void fail(int status_in, std::string problem_in) {
    progress = Progress::kFailed;
    status = status_in;
    problem = std::move(problem_in);
  }

  void end_head() {
    if (grammar->has_unknown_coding()) return fail(501, "the only transfer coding understood is chunked");
    if (grammar->hosts() > 1 || (grammar->hosts() == 0 && !grammar->is_http_1_0())) {
      return fail(400, "malformed request: exactly one Host header is required");
    }
    progress = Progress::kBody;
  }

  const size_t head_limit;
  const size_t body_limit;
  std::optional<Grammar> grammar;
  Progress progress = Progress::kDone;
  size_t head_bytes = 0;
  int status = 0;
  std::string problem;
};

RequestParser::RequestParser(size_t head_limit, size_t body_limit)
    : state_(std::make_unique<State>(head_limit, body_limit)) {}
RequestParser::~RequestParser() = default;

void RequestParser::start() {
  state_->grammar.emplace(state_->head_limit, state_->body_limit);
  state_->progress = Progress::kHead;
  state_->head_bytes = 0;
}

size_t RequestParser::feed(std::string_view bytes) {
  State& s = *state_;
  CH_CHECK(s.progress == Progress::kHead || s.progress == Progress::kBody);
  beast::error_code ec;
  const size_t used = s.grammar->put(asio::const_buffer(bytes.data(), bytes.size()), ec);
  if (ec && ec != bhttp::error::need_more) {
    s.fail(ec);
    return used;
  }
  const size_t kept = bytes.size() - used;
  if (s.progress == Progress::kHead) {
    if (!s.grammar->is_header_done()) {
      // The grammar takes whole fields as they come, so the total is counted here.
      s.head_bytes += used;
      if (s.head_bytes + kept > s.head_limit) s.fail(431, "the request head is too large");
      return used;
    }
    s.end_head();
  }
  if (s.progress == Progress::kBody) {
    if (s.grammar->is_done()) {
      s.progress = Progress::kDone;
    } else if (kept > std::min(s.head_limit, kChunkLineLimit)) {
      s.fail(431, "a chunk line or the trailers are too large");
    }
  }
  return used;
}

RequestParser::Progress RequestParser::progress() const { return state_->progress; }
int RequestParser::status() const { return state_->status; }
std::string_view RequestParser::problem() const { return state_->problem; }
bool RequestParser::keep_alive() const { return state_->grammar->keep_alive() && !state_->grammar->is_http_1_0(); }
bool RequestParser::is_http_1_0() const { return state_->grammar->is_http_1_0(); }
bool RequestParser::expects_continue() const {
  return state_->grammar->expects_continue() && !state_->grammar->is_http_1_0();
}
std::shared_ptr<Request> RequestParser::take_request() { return state_->grammar->take(); }

}  // namespace chandler::http
