// metadata.managedFields on its way through ordinary writes, as text: most entries have nothing to do with what a write
// changes, and stay as they are, unread. Not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meta/apply/managed_fields.h"
#include "meta/apply/server_side_apply.h"

namespace chandler::meta {

class ManagedList {
 public:
  // `text` is a list in canonical JSON, and must outlive this.
  explicit ManagedList(std::string_view text);

  // What becomes of it when an ordinary write turns `old` into `now`: fields that changed are the writer's now, fields
  // that went are nobody's. False when no field changed.
  bool record_update(const ApplyRequest& request, const json::Value& old, const json::Value& now);

  // In the order of the API; "" when nobody owns anything.
  std::string text() const;

 private:
  struct Entry {
    std::string_view text;
    // Of the text, as they are written there.
    std::string_view api_version, fields_type, fields, manager, operation, subresource, time;
    std::optional<ManagedEntry> read;  // from then on all of it is here

    static Entry of(std::string_view text);
    static Entry of(ManagedEntry entry);
    bool is_of(const FieldManager& manager) const;
    bool may_own(const FieldSet& set) const;
    auto rank() const;
  };

  static bool open(Entry& entry, const SchemaNode* schema);
  void cap();

  std::vector<Entry> entries_;
};

}  // namespace chandler::meta
