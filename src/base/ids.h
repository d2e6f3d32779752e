// Random identifiers from the kernel's generator. Thread-safe.
#pragma once

#include <cstddef>
#include <string>

namespace chandler {

std::string random_bytes(size_t count);
std::string new_uuid();                  // version 4, lower case
std::string name_suffix(size_t length);  // from bcdfghjklmnpqrstvwxz2456789, as generateName uses

}  // namespace chandler
