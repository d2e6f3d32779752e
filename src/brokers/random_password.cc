#include "brokers/random_password.h"

#include <string_view>

#include "base/ids.h"

namespace chandler::brokers {

std::string random_password() {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  constexpr size_t kLength = 40;
  constexpr unsigned kFair = 256 / 62 * 62;  // bytes above would favour the first letters
  std::string password;
  while (password.size() < kLength) {
    for (const char byte : random_bytes(kLength)) {
      const auto number = static_cast<unsigned char>(byte);
      if (number < kFair && password.size() < kLength) password += kLetters[number % kLetters.size()];
    }
  }
  return password;
}

}  // namespace chandler::brokers
