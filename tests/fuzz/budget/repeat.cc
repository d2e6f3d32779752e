// What costs more than its size allows shows it only when it is large, and libFuzzer's own mutations add a few bytes at
// a time. So where units may be large, a piece of one is repeated now and then.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>

extern "C" {
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed);
}

namespace {

constexpr unsigned int kOneIn = 8;
constexpr size_t kSmall = 4096;  // libFuzzer's limit if none is given

// The number of the copy in letters, so that names in the copies differ.
void write_number(uint8_t* out, size_t number) {
  constexpr size_t kLetters = 26;
  for (int i = 0; i < 3; ++i) {
    out[i] = static_cast<uint8_t>('a' + number % kLetters);
    number /= kLetters;
  }
}

// Puts copies of a piece behind it. What follows the piece stays, so that brackets still close.
size_t repeat_piece(uint8_t* data, size_t size, size_t max_size, std::minstd_rand& random) {
  constexpr size_t kLongestPiece = 64;
  const size_t begin = random() % size;
  const size_t length = 1 + random() % std::min(size - begin, kLongestPiece);
  const size_t copies = random() % ((max_size - size) / length + 1);
  const bool numbered = length > 3 && random() % 2 == 0;
  const size_t number_at = numbered ? random() % (length - 3) : 0;
  uint8_t* end = data + begin + length;
  std::memmove(end + copies * length, end, size - begin - length);
  for (size_t copy = 0; copy < copies; ++copy) {
    std::memcpy(end + copy * length, data + begin, length);
    if (numbered) write_number(end + copy * length + number_at, copy);
  }
  return size + copies * length;
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  std::minstd_rand random(seed);
  if (size == 0 || size > max_size || max_size <= kSmall || random() % kOneIn != 0)
    return LLVMFuzzerMutate(data, size, max_size);
  return repeat_piece(data, size, max_size, random);
}
