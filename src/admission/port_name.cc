#include "admission/port_name.h"

namespace chandler::admission {
namespace {

constexpr size_t kMaxName = 15;
constexpr int64_t kMaxPort = 65535;

}  // namespace

std::string check_port_name(std::string_view name) {
  bool letter = false;
  bool legal = !name.empty() && name.size() <= kMaxName && name.front() != '-' && name.back() != '-' &&
               name.find("--") == std::string_view::npos;
  for (const char c : name) {
    const bool lower = c >= 'a' && c <= 'z';
    letter = letter || lower;
    legal = legal && (lower || (c >= '0' && c <= '9') || c == '-');
  }
  if (legal && letter) return "";
  return "a port name has up to 15 lower case letters, digits and single '-' between them, and at least one letter";
}

std::string check_port_ref(const json::Value& port) {
  if (port.is_string()) return check_port_name(json::view(port.get_string()));
  const auto* number = port.if_int64();
  if (number != nullptr && *number >= 1 && *number <= kMaxPort) return "";
  return "a port is a number from 1 to 65535 or a name";
}

}  // namespace chandler::admission
