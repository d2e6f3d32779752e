#include "resolve/selector_hash.h"

#include <array>

#include "base/text_hash.h"
#include "resolve/digest.h"

namespace chandler::resolve {
namespace {

// The plans of a catalog share their class and their broker, and each write of an object hashes the same fields anew.
constexpr size_t kKept = 64;
constexpr size_t kLongestKept = 128;

struct Known {
  std::string text;
  std::string hash;
};

}  // namespace

std::string selector_label_key(std::string_view field) { return std::string("servicecatalog.k8s.io/").append(field); }

std::string selector_label_value(std::string_view text) {
  if (text.size() > kLongestKept) return sha224_hex(text);
  thread_local std::array<Known, kKept> kept;
  Known& known = kept[hash_text(text) % kKept];
  if (known.hash.empty() || known.text != text) {
    known.hash = sha224_hex(text);
    known.text = text;
  }
  return known.hash;
}

}  // namespace chandler::resolve
