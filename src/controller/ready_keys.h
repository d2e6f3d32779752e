// The keys that are to be run: first come, first served within a namespace, and namespaces take turns, so that one with
// a thousand objects to look at delays another by one run. A key may be in it more than once. Belongs to the engine's
// thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "controller/dependency_index.h"

namespace chandler::controller {

class ReadyKeys {
 public:
  ReadyKeys() = default;
  ReadyKeys(const ReadyKeys&) = delete;
  ReadyKeys& operator=(const ReadyKeys&) = delete;

  void push(std::string_view ns, KeyId key);
  std::optional<KeyId> pop();

 private:
  using Spaces = std::map<std::string, std::deque<KeyId>, std::less<>>;

  Spaces spaces_;                       // those with keys
  std::deque<Spaces::iterator> turns_;  // each of them once
};

}  // namespace chandler::controller
