#include "storage/revision_window.h"

#include <fmt/format.h>

namespace chandler::storage {

Result<Revision> readable_revision(Revision at, Revision floor, Revision newest) {
  if (at == 0) return newest;
  if (at < 0 || at > newest) {
    return bad_request(fmt::format("revision {} does not exist; the newest is {}", at, newest));
  }
  if (at < floor) {
    return expired(
        fmt::format("revision {} is no longer kept; the oldest is {}: list again without a revision", at, floor));
  }
  return at;
}

}  // namespace chandler::storage
