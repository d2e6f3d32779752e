// An ECDSA signature in its two forms: r and s side by side, as JWS writes it, and a DER sequence, as OpenSSL does.
// `half` is the length of r and of s in bytes. Empty when the text is no such signature. Pure.
#pragma once

#include <string>
#include <string_view>

namespace chandler::auth {

std::string der_from_jws(std::string_view signature, int half);
std::string jws_from_der(std::string_view der, int half);

}  // namespace chandler::auth
