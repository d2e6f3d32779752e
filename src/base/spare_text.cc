#include "base/spare_text.h"

#include <utility>
#include <vector>

namespace chandler {
namespace {

constexpr size_t kMost = 32;
constexpr size_t kLeastRoom = 1024;
constexpr size_t kMostRoom = 8192;

std::vector<std::string>& spare() {
  thread_local std::vector<std::string> kept;
  return kept;
}

}  // namespace

std::string take_spare_text() {
  auto& kept = spare();
  if (kept.empty()) return {};
  std::string text = std::move(kept.back());
  kept.pop_back();
  return text;
}

void give_spare_text(std::string text) {
  auto& kept = spare();
  if (text.capacity() < kLeastRoom || text.capacity() > kMostRoom || kept.size() >= kMost) return;
  text.clear();
  kept.push_back(std::move(text));
}

}  // namespace chandler
