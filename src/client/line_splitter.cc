#include "client/line_splitter.h"

namespace chandler::client {

bool LineSplitter::add(std::string_view piece, const std::function<bool(std::string_view line)>& line) {
  for (;;) {
    const size_t end = piece.find('\n');
    const auto part = piece.substr(0, end);
    if (rest_.size() + part.size() > max_line_bytes_) return false;
    if (end == std::string_view::npos) {
      rest_.append(part);
      return true;
    }
    piece.remove_prefix(end + 1);
    bool go_on = true;
    if (!rest_.empty()) {
      rest_.append(part);
      go_on = line(rest_);
      rest_.clear();
    } else if (!part.empty()) {
      go_on = line(part);
    }
    if (!go_on) return false;
  }
}

}  // namespace chandler::client
