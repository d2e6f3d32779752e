// The three patch kinds of the API. Each changes `target` in place; on error the target is unspecified and thrown away.
#pragma once

#include <string_view>

#include "base/result.h"
#include "json/value.h"

namespace chandler::json {

// RFC 7386.
void merge_patch(Value& target, const Value& patch);

// RFC 6902. A malformed patch document is BadRequest; an operation that fails (test, missing path, index out of range)
// is Invalid with the operation named; what goes beyond the limits is RequestEntityTooLarge.
struct JsonPatchLimits {
  size_t max_operations = 10'000;
  size_t max_growth = 3 * 1024 * 1024;  // bytes that copies add
  // Bytes of list elements that make room or close a gap, and of values that move down and are measured before that. As
  // many operations as allowed may add in front of a list.
  size_t max_effort = size_t{2} << 30;
};
Result<void> json_patch(Value& target, const Value& patch, const JsonPatchLimits& limits = {});

// How strategic merge treats one place of a document. The schema knows; this interface keeps json/ free of schemas.
// A node is a place in the schema: null means "unknown place": maps merge, lists are replaced.
class MergeRules {
 public:
  using Node = const void*;
  struct ListRule {
    bool merge = false;        // patchStrategy contains merge
    bool retain_keys = false;  // patchStrategy contains retainKeys
    std::string_view key;      // patchMergeKey; empty with merge: a list of scalars, merged as a set
  };
  virtual ~MergeRules() = default;
  virtual Node root() const = 0;
  virtual Node member(Node parent, std::string_view key) const = 0;  // schema of an object's member
  virtual Node item(Node list) const = 0;                            // schema of a list's items
  virtual ListRule rule(Node node) const = 0;                        // of a list, or retainKeys of a map
};

// Strategic merge with all directives: $patch (merge, replace, delete), $deleteFromPrimitiveList/<f>,
// $setElementOrder/<f>, $retainKeys. Unknown directive: BadRequest. A patch that merges into the same elements again
// and again, more than 32 MiB of them: RequestEntityTooLarge.
Result<void> strategic_merge_patch(Value& target, const Value& patch, const MergeRules& rules);

}  // namespace chandler::json
