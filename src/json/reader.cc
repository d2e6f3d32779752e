#include "json/reader.h"

#include <fmt/format.h>

#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>
#include <functional>

#include "json/duplicate_keys.h"

namespace chandler::json {
namespace {

using boost::json::error_code;
using StringView = boost::json::string_view;

// Receives the parser's events and builds the value. `keys` is null when nobody wants to know about duplicates.
class Builder {
 public:
  static constexpr size_t max_object_size = Object::max_size();
  static constexpr size_t max_array_size = Array::max_size();
  static constexpr size_t max_key_size = String::max_size();
  static constexpr size_t max_string_size = String::max_size();

  Builder(std::string_view text, const Storage& storage, DuplicateKeys* keys, unsigned char* buffer, size_t size)
      : text_(text), keys_(keys), stack_({}, buffer, size) {
    stack_.reset(storage);
  }

  Value release() { return stack_.release(); }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }

  bool on_object_begin(error_code&) {
    if (keys_ != nullptr) keys_->open_object();
    return true;
  }
  bool on_object_end(size_t count, error_code&) {
    stack_.push_object(count);
    if (keys_ != nullptr) keys_->close_object();
    return true;
  }
  bool on_array_begin(error_code&) {
    if (keys_ != nullptr) keys_->open_array();
    return true;
  }
  bool on_array_end(size_t count, error_code&) {
    stack_.push_array(count);
    if (keys_ != nullptr) keys_->close_array();
    return true;
  }

  bool on_key_part(StringView part, size_t, error_code&) {
    stack_.push_chars(part);
    if (keys_ != nullptr) key_parts_.append(part.data(), part.size());
    return true;
  }
  bool on_key(StringView key, size_t, error_code&) {
    stack_.push_key(key);
    if (keys_ != nullptr) note_key({key.data(), key.size()});
    return true;
  }
  bool on_string_part(StringView part, size_t, error_code&) {
    stack_.push_chars(part);
    return true;
  }
  bool on_string(StringView text, size_t, error_code&) {
    stack_.push_string(text);
    return scalar_done();
  }

  bool on_number_part(StringView, error_code&) { return true; }
  bool on_int64(int64_t number, StringView, error_code&) {
    stack_.push_int64(number);
    return scalar_done();
  }
  bool on_uint64(uint64_t number, StringView, error_code&) {
    stack_.push_uint64(number);
    return scalar_done();
  }
  // The parser's own conversion may be off by a bit; a document must read back as it was written.
  bool on_double(double rough, StringView text, error_code& ec) {
    double number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec == std::errc::result_out_of_range) {
      if (std::abs(rough) > 1) {
        ec = boost::json::error::exponent_overflow;
        return false;
      }
      number = 0;  // too small to tell from zero
    }
    stack_.push_double(number);
    return scalar_done();
  }
  bool on_bool(bool value, error_code&) {
    stack_.push_bool(value);
    return scalar_done();
  }
  bool on_null(error_code&) {
    stack_.push_null();
    return scalar_done();
  }
  bool on_comment_part(StringView, error_code&) { return true; }
  bool on_comment(StringView, error_code&) { return true; }

 private:
  bool scalar_done() {
    if (keys_ != nullptr) keys_->scalar();
    return true;
  }

  // A key without escapes lies in the text itself; one with escapes comes in a buffer that the parser uses again.
  void note_key(std::string_view key) {
    const char* end = text_.data() + text_.size();
    const bool in_text = !std::less<>()(key.data(), text_.data()) && std::less<>()(key.data(), end);
    if (key_parts_.empty() && in_text) {
      keys_->key(key);
    } else {
      keys_->key_copy(key_parts_.append(key));
      key_parts_.clear();
    }
  }

  std::string_view text_;
  DuplicateKeys* keys_;
  std::string key_parts_;
  boost::json::value_stack stack_;
};

Error parse_error(const error_code& ec, size_t offset, const ReadOptions& options) {
  if (ec == boost::json::error::too_deep) {
    return bad_request(fmt::format("JSON nested deeper than {} levels at offset {}", options.max_depth, offset));
  }
  if (ec == boost::json::error::incomplete) return bad_request("unexpected end of JSON input");
  return bad_request(fmt::format("invalid JSON at offset {}: {}", offset, ec.message()));
}

}  // namespace

Result<Value> parse(std::string_view text, const ReadOptions& options, ReadReport* report) {
  try {
    std::optional<DuplicateKeys> keys;
    if (report != nullptr) keys.emplace(report->duplicates);
    unsigned char buffer[4096];
    boost::json::parse_options strict;
    strict.max_depth = options.max_depth;
    boost::json::basic_parser<Builder> parser(strict, text, options.storage, keys ? &*keys : nullptr, buffer,
                                              sizeof buffer);
    error_code ec;
    const size_t used = parser.write_some(false, text.data(), text.size(), ec);
    if (!ec && used < text.size()) ec = boost::json::error::extra_data;
    if (ec) return parse_error(ec, used, options);
    return parser.handler().release();
  } catch (const std::exception& e) {
    return bad_request(fmt::format("cannot read JSON: {}", e.what()));
  }
}

}  // namespace chandler::json
