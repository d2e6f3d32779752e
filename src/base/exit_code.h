// Exit codes of the program besides 0 (stopped in order) and 1 (could not start, or a command failed). They are those
// of sysexits.h, so that a supervisor can tell them from each other.
#pragma once

namespace chandler {

inline constexpr int kExitNoResources = 71;  // EX_OSERR: out of memory, or no thread could be started
inline constexpr int kExitStoreFailed = 74;  // EX_IOERR: a restart has to find out what was committed

}  // namespace chandler
