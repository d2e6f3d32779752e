// Digests as lower-case hex, for names, labels and checksums. A plain digest protects no secret: whoever has it can try
// out guesses. Pure, thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace chandler::resolve {

std::string sha256_hex(std::string_view bytes);                             // 64 characters
std::string sha224_hex(std::string_view bytes);                             // 56 characters
std::string md5_hex(std::string_view bytes);                                // 32 characters
std::string hmac_sha256_hex(std::string_view key, std::string_view bytes);  // 64 characters; needs the key

}  // namespace chandler::resolve
