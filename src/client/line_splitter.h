// Cuts a stream of bytes into lines, as watches send them: one JSON document per line. Bounded; not thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace chandler::client {

class LineSplitter {
 public:
  explicit LineSplitter(size_t max_line_bytes) : max_line_bytes_(max_line_bytes) {}

  // Hands over every line that is complete now, without its end; empty ones are left out. False: a line is too long, or
  // `line` returned false; the stream is of no more use.
  bool add(std::string_view piece, const std::function<bool(std::string_view line)>& line);

 private:
  const size_t max_line_bytes_;
  std::string rest_;
};

}  // namespace chandler::client
