// CRC-32C (Castagnoli), the check sum over each stored row: finds bits that the disk has changed. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace chandler::storage {

// Goes on from `crc` (0 to begin), so that a sum over pieces equals the sum over the whole.
uint32_t crc32c(std::string_view bytes, uint32_t crc = 0);
// The same without the processor's instruction for it; crc32c() uses this where there is none.
uint32_t crc32c_portable(std::string_view bytes, uint32_t crc = 0);

}  // namespace chandler::storage
