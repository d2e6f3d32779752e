// CH_CHECK ends the process when a condition that only a bug of ours can break does not hold. It stays on in release.
// Never use it on anything that outside input, a disk or a network can cause.
#pragma once

namespace chandler {
[[noreturn]] void check_failed(const char* condition, const char* file, int line);
}

#define CH_CHECK(condition)                                                     \
  do {                                                                          \
    if (!(condition)) ::chandler::check_failed(#condition, __FILE__, __LINE__); \
  } while (false)
