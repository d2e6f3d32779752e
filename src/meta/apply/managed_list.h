// metadata.managedFields on its way through ordinary writes, as text: most entries have nothing to do with what a write
// changes, and stay as they are, unread; of the others most of the fields stay. Not thread-safe.
#pragma once

#include <forward_list>
#include <string>
#include <string_view>
#include <vector>

#include "meta/apply/changes.h"
#include "meta/apply/managed_fields.h"
#include "meta/apply/server_side_apply.h"

namespace chandler::meta {

class ManagedList {
 public:
  // `text` is a list in canonical JSON, and must outlive this.
  explicit ManagedList(std::string_view text);

  // What becomes of it when an ordinary write turns `old` into `now`: fields that changed are the writer's now, fields
  // that went are nobody's. False when no field changed. The manager's names must outlive this.
  bool record_update(const ApplyRequest& request, const json::Value& old, const json::Value& now);

  // In the order of the API; "" when nobody owns anything.
  std::string text() const;

 private:
  struct Entry {
    std::string_view text;  // all of it, as long as nothing of it is new
    std::string_view text_fields;
    std::string new_fields;
    std::string_view api_version, fields_type, manager, operation, subresource, time;

    static Entry of(const FieldManager& manager);
    std::string_view fields() const { return text.empty() ? std::string_view(new_fields) : text_fields; }
    bool is_of(const FieldManager& manager) const;
    bool is_readable() const;
    bool may_own(const Changes& changes) const;
    auto rank() const;
  };

  Entry next_entry(std::string_view list);
  std::string_view keep(std::string text);
  void cap();

  std::vector<Entry> entries_;
  std::forward_list<std::string> kept_;  // names that are written nowhere as they are
};

}  // namespace chandler::meta
