#include "controller/ready_keys.h"

namespace chandler::controller {

void ReadyKeys::push(std::string_view ns, KeyId key) {
  auto space = spaces_.find(ns);
  if (space == spaces_.end()) {
    space = spaces_.emplace(ns, std::deque<KeyId>{}).first;
    turns_.push_back(space);
  }
  space->second.push_back(key);
}

std::optional<KeyId> ReadyKeys::pop() {
  if (turns_.empty()) return std::nullopt;
  const auto space = turns_.front();
  turns_.pop_front();
  const KeyId key = space->second.front();
  space->second.pop_front();
  if (space->second.empty()) {
    spaces_.erase(space);
  } else {
    turns_.push_back(space);
  }
  return key;
}

}  // namespace chandler::controller
