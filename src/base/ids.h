// Random identifiers and keys from the kernel's generator. Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace chandler {

std::string random_bytes(size_t count);
std::array<uint64_t, 2> hash_key();      // for hash_text(), which asks once
std::string new_uuid();                  // version 4, lower case
std::string name_suffix(size_t length);  // from bcdfghjklmnpqrstvwxz2456789, as generateName uses

}  // namespace chandler
