#include "base/last_words.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <gtest/gtest.h>

#include "base/exit_code.h"

namespace chandler {
namespace {

// What std::thread throws when the system gives it none, on a thread where nobody catches it.
template <typename Exception>
[[noreturn]] void throw_on_a_thread(const Exception& exception) {
  install_last_words();
  std::thread([&exception] { throw exception; }).join();
  std::abort();
}

TEST(LastWordsDeathTest, NameTheMemoryThereIs) {
  const auto run_out = [] {
    install_last_words();
    std::get_new_handler()();
  };
  EXPECT_EXIT(run_out(), ::testing::ExitedWithCode(kExitNoResources),
              "^chandler: out of memory: [0-9]+ MiB are resident, .* is [0-9]+ MiB.*--storage-quota-mib.*\n$");
}

TEST(LastWordsDeathTest, SayThatAThreadCouldNotBeStarted) {
  const std::system_error none(EAGAIN, std::generic_category(), "none");
  EXPECT_EXIT(throw_on_a_thread(none), ::testing::ExitedWithCode(kExitNoResources),
              "^chandler: cannot start a thread: errno 11;.*LimitNPROC=.*\n$");
}

TEST(LastWordsDeathTest, CallEverythingElseABug) {
  EXPECT_EXIT(throw_on_a_thread(std::runtime_error("surprise")), ::testing::KilledBySignal(SIGABRT),
              "bug: uncaught exception: surprise");
  const std::system_error other(EINVAL, std::generic_category(), "odd");
  EXPECT_EXIT(throw_on_a_thread(other), ::testing::KilledBySignal(SIGABRT), "bug: uncaught exception: odd");
}

}  // namespace
}  // namespace chandler
