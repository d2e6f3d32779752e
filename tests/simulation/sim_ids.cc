// Takes the place of src/base/ids.cc: the linker takes that out of its library only for what is missing here.
#include "simulation/sim_ids.h"

#include "base/ids.h"
#include "base/mutex.h"
#include "base/text.h"
#include "simulation/random.h"

namespace chandler {
namespace {

struct Source {
  Mutex mutex;
  simulation::Random random CH_GUARDED_BY(mutex){0};
};

Source& source() {
  static Source the_one;
  return the_one;
}

}  // namespace

std::string random_bytes(size_t count) {
  MutexLock lock(source().mutex);
  std::string out;
  for (size_t i = 0; i < count; ++i) out += static_cast<char>(source().random.below(256));
  return out;
}

// The same in every run, because the order of hash tables follows from it; and not from the source of a seed, because
// only the first run of a process asks.
std::array<uint64_t, 2> hash_key() { return {1, 2}; }

std::string new_uuid() {
  std::string bytes = random_bytes(16);
  bytes[6] = static_cast<char>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<char>((bytes[8] & 0x3f) | 0x80);
  std::string out = hex_encode(bytes);
  for (const size_t at : {20u, 16u, 12u, 8u}) out.insert(at, "-");
  return out;
}

std::string name_suffix(size_t length) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string out;
  for (const char c : random_bytes(length)) out += kLetters[static_cast<unsigned char>(c) % kLetters.size()];
  return out;
}

namespace simulation {

void seed_ids(uint64_t seed) {
  MutexLock lock(source().mutex);
  source().random = Random(seed);
}

}  // namespace simulation
}  // namespace chandler
