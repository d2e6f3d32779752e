#include "base/find_any_text.h"

#include <algorithm>

#include "base/check.h"

namespace chandler {
namespace {

// The texts that share the beginning which a node stands for.
struct Range {
  size_t begin = 0;
  size_t end = 0;
  size_t length = 0;  // of that beginning
  uint32_t parent = 0;
};

uint8_t byte_at(std::string_view text, size_t i) { return static_cast<uint8_t>(text[i]); }

bool is_in_word(std::string_view text, size_t i) {
  const char c = text[i];
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || byte_at(text, i) >= 0x80;
}

bool is_word(std::string_view in, size_t begin, size_t end) {
  return (begin == 0 || !is_in_word(in, begin - 1)) && (end == in.size() || !is_in_word(in, end));
}

}  // namespace

AnyText::AnyText(std::vector<Wanted> wanted) {
  std::erase_if(wanted, [](const Wanted& each) { return each.text.empty(); });
  std::sort(wanted.begin(), wanted.end(), [](const Wanted& a, const Wanted& b) { return a.text < b.text; });
  nodes_.emplace_back();
  std::vector<Range> ranges{{0, wanted.size(), 0, 0}};
  // In order of length: what a node refers to is complete before it.
  for (uint32_t id = 0; id < nodes_.size(); ++id) {
    auto [begin, end, length, parent] = ranges[id];
    Node node = nodes_[id];
    for (; begin < end && wanted[begin].text.size() == length; ++begin) {
      CH_CHECK(!wanted[begin].as_word || length <= kLongestWord);
      if (wanted[begin].as_word) {
        node.words = static_cast<uint8_t>(node.words | 1U << length);
      } else {
        node.longest = static_cast<uint32_t>(length);
      }
    }
    node.fallback = length < 2 ? 0 : after(nodes_[parent].fallback, node.byte);
    if (id != 0) {
      node.longest = std::max(node.longest, nodes_[node.fallback].longest);
      node.words = static_cast<uint8_t>(node.words | nodes_[node.fallback].words);
    }
    node.first_child = static_cast<uint32_t>(nodes_.size());
    while (begin < end) {
      const auto byte = byte_at(wanted[begin].text, length);
      const size_t first = begin;
      while (begin < end && byte_at(wanted[begin].text, length) == byte) ++begin;
      if (id == 0) first_[byte] = static_cast<uint32_t>(nodes_.size());
      nodes_.emplace_back().byte = byte;
      ranges.push_back({first, begin, length + 1, id});
      ++node.children;
    }
    nodes_[id] = node;
  }
}

uint32_t AnyText::child(uint32_t node, uint8_t byte) const {
  if (node == 0) return first_[byte];
  const auto begin = nodes_.begin() + nodes_[node].first_child;
  const auto end = begin + nodes_[node].children;
  const auto found = std::lower_bound(begin, end, byte, [](const Node& each, uint8_t b) { return each.byte < b; });
  return found != end && found->byte == byte ? static_cast<uint32_t>(found - nodes_.begin()) : 0;
}

uint32_t AnyText::after(uint32_t node, uint8_t byte) const {
  for (;;) {
    if (const auto next = child(node, byte); next != 0 || node == 0) return next;
    node = nodes_[node].fallback;
  }
}

std::vector<AnyText::Place> AnyText::places(std::string_view in) const {
  std::vector<Place> out;
  uint32_t state = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    state = after(state, byte_at(in, i));
    const Node& node = nodes_[state];
    if (node.longest == 0 && node.words == 0) continue;
    const size_t end = i + 1;
    size_t begin = end - node.longest;
    for (size_t length = 1; length <= kLongestWord; ++length) {
      if ((node.words >> length & 1U) != 0 && is_word(in, end - length, end)) begin = std::min(begin, end - length);
    }
    if (begin == end) continue;
    while (!out.empty() && out.back().end >= begin) {
      begin = std::min(begin, out.back().begin);
      out.pop_back();
    }
    out.push_back({begin, end});
  }
  return out;
}

}  // namespace chandler
