// Feeds bytes to the request parser the way a connection does. The first byte chooses how large the pieces are, so that
// every place where input can be cut is met; the outcome must not depend on it.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "fuzz/budget/budget.h"
#include "http/request_parser.h"

namespace {

using chandler::http::RequestParser;
using Progress = RequestParser::Progress;

constexpr size_t kHeadLimit = 2048;
constexpr size_t kBodyLimit = 4096;
constexpr int kRequests = 8;

// All requests of the input, in a form that can be compared; a failure ends them.
std::string read_all(std::string_view bytes, size_t piece) {
  RequestParser parser(kHeadLimit, kBodyLimit);
  std::string seen;
  std::string kept;
  for (int i = 0; i < kRequests; ++i) {
    parser.start();
    while (parser.progress() == Progress::kHead || parser.progress() == Progress::kBody) {
      if (kept.empty() && bytes.empty()) return seen;
      kept += bytes.substr(0, piece);
      const bool at_end = bytes.empty();
      bytes.remove_prefix(std::min(piece, bytes.size()));
      const size_t used = parser.feed(kept);
      CH_CHECK(used <= kept.size());
      kept.erase(0, used);
      if (at_end && used == 0 && parser.progress() != Progress::kDone && parser.progress() != Progress::kFailed) {
        return seen;
      }
    }
    if (parser.progress() == Progress::kFailed) {
      CH_CHECK(parser.status() >= 400 && !parser.problem().empty());
      return seen;
    }
    const auto request = parser.take_request();
    CH_CHECK(request->body.size() <= kBodyLimit);
    seen += request->method_text + " " + request->target + "\n";
    for (const auto& [name, value] : request->headers.fields()) {
      CH_CHECK(value.find('\n') == std::string::npos);
      seen += name + ": " + value + "\n";
    }
    seen += request->body + (parser.keep_alive() ? "\n+\n" : "\n-\n");
    if (!parser.keep_alive()) return seen;
  }
  return seen;
}

}  // namespace

// Input comes byte by byte, and the grammar reads a chunk line again with each piece. The limit of such lines bounds
// it: each byte costs at most one line.
chandler::fuzz::Budget chandler::fuzz::target_budget() { return {.per_byte = 1024}; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t piece = 1 + data[0] % 64;
  const std::string whole = read_all(bytes, bytes.size() + 1);
  const std::string pieces = read_all(bytes, piece);
  // A head just above the limit may pass when it comes at once, so only inputs below every limit must agree.
  if (bytes.size() <= kHeadLimit) CH_CHECK(whole == pieces);
  return 0;
}
