// The options of list, watch and deletecollection, checked as the API demands.
#pragma once

#include <optional>
#include <string>

#include "apiserver/call.h"
#include "base/result.h"
#include "registry/query.h"

namespace chandler::apiserver {

struct ListOptions {
  registry::Query query;
  size_t limit = 0;  // 0: no limit
  std::string resource_version;
  std::string match;                // resourceVersionMatch
  registry::Revision revision = 0;  // of resource_version; 0 when unset or "0"
  std::string continue_token;
  std::optional<bool> initial_events;  // sendInitialEvents of a watch
};

// `watch` selects which combinations are legal. The query is limited to the namespace and the name that were
// authorized.
Result<ListOptions> list_options(const Services& services, const Call& call, bool watch);

// A state that this server has not reached: 504, and try again.
Error too_large_revision(uint64_t wanted, registry::Revision current);

// Where a paged list goes on: after this object, at this revision (-1: whatever is current then).
struct ContinueToken {
  registry::Revision revision = 0;
  std::string ns;
  std::string name;

  std::string encode() const;
  static Result<ContinueToken> decode(std::string_view text);
};

}  // namespace chandler::apiserver
