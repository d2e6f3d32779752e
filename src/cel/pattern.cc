#include "cel/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"

namespace chandler::cel {

Result<std::shared_ptr<const re2::RE2>> compile_pattern(std::string_view text) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(int64_t{1} << 20);
  auto pattern = std::make_shared<const re2::RE2>(re2::StringPiece(text.data(), text.size()), options);
  if (!pattern->ok()) {
    return bad_request(fmt::format("the regular expression {} is bad: {}", quoted(text), pattern->error()));
  }
  return std::shared_ptr<const re2::RE2>(std::move(pattern));
}

}  // namespace chandler::cel
