#include "fuzz/budget/slowest_units.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include <fmt/format.h>

namespace chandler::fuzz {
namespace {

uint64_t hash_of(std::string_view unit) { return std::hash<std::string_view>()(unit); }

}  // namespace

std::string SlowestUnits::Entry::name() const { return fmt::format("{:016x}", hash); }

bool SlowestUnits::has_place_for(const Cost& cost, std::string_view unit) const {
  if (size_ == kMost && cost.share <= entries_[kMost - 1].cost.share) return false;
  const uint64_t hash = hash_of(unit);
  return std::none_of(entries_.begin(), entries_.begin() + size_, [&](const Entry& e) { return e.hash == hash; });
}

void SlowestUnits::add(const Cost& cost, std::string_view unit) {
  size_t place = size_;
  for (; place > 0 && entries_[place - 1].cost.share < cost.share; --place) entries_[place] = entries_[place - 1];
  entries_[place] = {cost, unit.size(), hash_of(unit)};
  size_ = std::min(size_ + 1, kMost);
}

void SlowestUnits::write(const std::string& folder, std::string_view unit) const {
  const std::filesystem::path path(folder);
  std::ofstream(path / fmt::format("{:016x}", hash_of(unit)), std::ios::binary) << unit;
  if (entries_[kMost].hash != 0) std::filesystem::remove(path / entries_[kMost].name());
  std::ofstream list(folder + ".txt");
  for (size_t i = 0; i < size_; ++i) {
    const auto& entry = entries_[i];
    list << fmt::format("{:.1f} % of the budget, {:.3f} ms, {} bytes, {}\n", entry.cost.share * 100,
                        entry.cost.seconds * 1000, entry.bytes, entry.name());
  }
}

}  // namespace chandler::fuzz
