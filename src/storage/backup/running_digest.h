// SHA-256 over bytes that come piece by piece. Not thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace chandler::storage {

class RunningDigest {
 public:
  RunningDigest();
  ~RunningDigest();
  RunningDigest(RunningDigest&&) noexcept;
  RunningDigest& operator=(RunningDigest&&) noexcept;

  void add(std::string_view bytes);
  std::string hex();  // of all so far; nothing may be added afterwards

 private:
  struct Free {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Free> context_;  // OpenSSL's, whose header stays out of ours
};

}  // namespace chandler::storage
