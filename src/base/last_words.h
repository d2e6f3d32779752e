// What the process says when it ends because the system gives it nothing more: one line on standard error that names
// the limit, and kExitNoResources. It is written without allocating.
#pragma once

namespace chandler {

// For memory that `new` does not get, and for exceptions that nobody catches: a thread that could not be started, or a
// bug. Once, before other threads are there.
void install_last_words();

}  // namespace chandler
