// The units of a run that took the largest share of their budget. They are kept as files, so that the next run can
// start from them, with a list of them beside the folder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace chandler::fuzz {

struct Cost {
  double seconds = 0;
  double share = 0;  // of the budget
};

// Allocates no memory but in `write`: what depends on the clock must not move the objects of the target.
class SlowestUnits {
 public:
  // Whether a unit with this cost is one of the slowest so far, and not among them yet.
  bool has_place_for(const Cost& cost, std::string_view unit) const;
  // Call it only if there is a place.
  void add(const Cost& cost, std::string_view unit);

  // Writes a unit that was just added into `folder`, which must exist, and the list into `folder`.txt: the largest
  // share first.
  void write(const std::string& folder, std::string_view unit) const;

 private:
  static constexpr size_t kMost = 10;

  struct Entry {
    Cost cost;
    size_t bytes = 0;
    uint64_t hash = 0;

    std::string name() const;
  };

  std::array<Entry, kMost + 1> entries_;  // the last is the one that was removed last
  size_t size_ = 0;
};

}  // namespace chandler::fuzz
