// Finds keys that occur more than once in an object while a document is read, and names them by their full path. Both
// readers feed it with what they meet. Used by one reader on one thread.
#pragma once

#include <forward_list>
#include <string>
#include <string_view>
#include <vector>

#include <boost/container/small_vector.hpp>

namespace chandler::json {

class DuplicateKeys {
 public:
  // Paths are appended to `paths`, which must outlive this: the first ones, up to a total size.
  explicit DuplicateKeys(std::vector<std::string>& paths) : paths_(paths) {}

  void open_object() { open_.push_back({keys_.size(), 0, false}); }
  void open_array() { open_.push_back({keys_.size(), 0, true}); }
  void close_object();
  void close_array();
  void key(std::string_view key) { keys_.push_back(key); }  // `key` must stay where it is until its object is closed
  void key_copy(std::string key) { keys_.push_back(copies_.emplace_front(std::move(key))); }
  void scalar() { count_value(); }

 private:
  struct Open {
    size_t first_key;  // where the keys of this object begin in keys_
    size_t values;     // finished ones: the index of the current element of an array
    bool is_array;
  };

  void count_value() {
    if (!open_.empty()) ++open_.back().values;
  }
  void report(std::string_view key);

  std::vector<std::string>& paths_;
  size_t reported_bytes_ = 0;
  // Documents of usual size need no allocation here.
  boost::container::small_vector<Open, 16> open_;
  boost::container::small_vector<std::string_view, 64> keys_;  // of all open objects, outermost first
  std::forward_list<std::string> copies_;                      // a list, for its elements do not move
};

}  // namespace chandler::json
