#include "resolve/external_id.h"

#include <algorithm>

namespace chandler::resolve {
namespace {

bool is_unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

}  // namespace

std::string_view external_id_fault(std::string_view id) {
  if (id.empty()) return "must not be empty";
  if (id == "." || id == "..") return "must not be '.' or '..', which have a meaning of their own in URLs";
  if (!std::all_of(id.begin(), id.end(), is_unreserved))
    return "may contain only letters (A-Z, a-z), digits, '-', '.', '_' and '~'";
  return {};
}

}  // namespace chandler::resolve
