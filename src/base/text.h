// Small text functions that the standard library lacks. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chandler {

std::vector<std::string_view> split(std::string_view text, char separator);  // "" gives one empty piece
std::string_view trim(std::string_view text);                                // ASCII white space at both ends
std::string to_lower(std::string_view text);                                 // ASCII only
bool equals_ignore_case(std::string_view a, std::string_view b);             // ASCII only
std::string join(const std::vector<std::string>& pieces, std::string_view separator);
std::string quoted(std::string_view text);  // as a JSON string, for messages: "a\"b"; ill-formed UTF-8 becomes U+FFFD
// Where <iomanip> has been read, std::quoted would fit a string better than the one above.
inline std::string quoted(const std::string& text) { return quoted(std::string_view(text)); }
inline std::string quoted(std::string& text) { return quoted(std::string_view(text)); }
inline std::string quoted(const char* text) { return quoted(std::string_view(text)); }
void append_quoted(std::string& out, std::string_view text);

std::optional<int64_t> parse_int64(std::string_view text);    // the whole text, decimal, optional '-'
std::optional<uint64_t> parse_uint64(std::string_view text);  // the whole text, decimal

std::string base64_encode(std::string_view bytes);                   // RFC 4648 with padding
std::optional<std::string> base64_decode(std::string_view text);     // strict: alphabet, padding, no white space
std::string base64url_encode(std::string_view bytes);                // URL-safe, no padding
std::optional<std::string> base64url_decode(std::string_view text);  // URL-safe, without padding
std::string hex_encode(std::string_view bytes);                      // lower case

// Percent-decoding of a URL path segment or query part; '+' stays '+' unless `plus_is_space`. nullopt: bad escape.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);
std::string percent_encode(std::string_view text);  // everything but A-Za-z0-9-_.~

bool is_valid_utf8(std::string_view bytes);
size_t utf8_length(std::string_view text);  // code points

// "did you mean": the candidate within edit distance 2 that is nearest and shares a letter with `word`, else empty.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace chandler
