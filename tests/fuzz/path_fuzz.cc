// What a stranger writes into the head of a request, before anybody knows who it is: the target, the Accept header and
// the continue token of a list. Lines of the input: method and target, Accept, token.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "apiserver/list_options.h"
#include "apiserver/negotiation.h"
#include "apiserver/request_info.h"
#include "base/check.h"

namespace {

using namespace chandler;

std::string_view take_line(std::string_view& rest) {
  const size_t end = std::min(rest.find('\n'), rest.size());
  const auto line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

void read_target(std::string_view line) {
  constexpr std::array kMethods = {http::Method::kGet,     http::Method::kHead,  http::Method::kPost,
                                   http::Method::kPut,     http::Method::kPatch, http::Method::kDelete,
                                   http::Method::kOptions, http::Method::kOther};
  if (line.empty()) return;
  const auto method = kMethods[static_cast<unsigned char>(line[0]) % kMethods.size()];
  const auto info = apiserver::parse_request_info(method, line.substr(1));
  if (!info.ok()) return;
  CH_CHECK(info->path.starts_with("/"));
  CH_CHECK(!info->verb.empty());
  CH_CHECK(method != http::Method::kOptions && method != http::Method::kOther);
  CH_CHECK(!info->name_in_path || !info->name.empty());
  CH_CHECK(!info->is_resource || (!info->version.empty() && !info->resource.empty()));
  CH_CHECK(info->subresource.empty() || !info->name.empty());
}

void read_accept(std::string_view accept) {
  for (const auto& clause : apiserver::parse_accept(accept)) CH_CHECK(!clause.type.empty());
  http::Request request;
  request.headers.add("Accept", accept);
  for (const auto shapes : {apiserver::Shapes::kNone, apiserver::Shapes::kObject, apiserver::Shapes::kList}) {
    const auto output = apiserver::negotiate(request, {}, shapes);
    CH_CHECK(!output.ok() || shapes != apiserver::Shapes::kNone || output->shape == apiserver::Shape::kObject);
  }
}

void read_token(std::string_view text) {
  const auto token = apiserver::ContinueToken::decode(text);
  if (!token.ok()) return;
  // What is understood is understood the same way after being written again.
  const auto again = apiserver::ContinueToken::decode(token->encode());
  CH_CHECK(again.ok() && again->revision == token->revision && again->ns == token->ns && again->name == token->name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  read_target(take_line(rest));
  read_accept(take_line(rest));
  read_token(rest);
  return 0;
}
