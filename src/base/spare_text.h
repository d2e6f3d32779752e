// Strings of one to eight KiB that every request needs, bodies and stored bytes, kept by the thread that gave them back
// for its next request. The allocator's own cache per thread ends just below that size, and what is larger costs it a
// search and a merge of neighbours each time. Bounded: a thread keeps no more than 256 KiB. Thread-safe.
#pragma once

#include <string>

namespace chandler {

// Empty, with the room of one that was given back, or without any.
std::string take_spare_text();
// Keeps the memory of the text if it is of use, not its content.
void give_spare_text(std::string text);

}  // namespace chandler
