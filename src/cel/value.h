// A value of the expression language. What comes from an object is a view of the object's document, read by its schema
// (a text of format date-time is a timestamp, a number field is a double); what an expression makes owns its parts.
// Cheap to copy and immutable; a view must not outlive the document and the schema.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "meta/quantity.h"
#include "meta/schema_node.h"

namespace chandler::cel {

enum class Kind : uint8_t {
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTimestamp,
  kDuration,
  kList,
  kMap,
  kType,
  kOptional,
  kQuantity
};
std::string_view kind_name(Kind kind);  // as type() tells it: "int", "google.protobuf.Timestamp"

// Why an expression has no value. Over budget cannot be absorbed by && and ||.
struct Fault {
  std::string message;
  bool over_budget = false;
};

class Value {
 public:
  using Items = std::vector<Value>;

  Value() = default;
  static Value boolean(bool b);
  static Value integer(int64_t i);
  static Value unsigned_integer(uint64_t u);
  static Value real(double d);
  static Value string(std::string text);
  static Value string_view(std::string_view text);  // of something that lives longer
  static Value bytes(std::string bytes);
  static Value timestamp(int64_t seconds, uint32_t nanos);
  static Value duration(int64_t nanos);
  static Value list(Items items);
  static Value map(Items keys_and_values);  // in turn
  static Value type(Kind of);
  static Value quantity(meta::Quantity quantity);
  static Value none();
  static Value some(Value value);

  // A place of a document, as its schema reads it; without a schema as JSON means it. A text that does not fit its
  // format is a fault: an old object may hold one.
  static Result<Value, Fault> of(const json::Value& document, const meta::SchemaNode* node);

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool as_bool() const { return integer_ != 0; }
  int64_t as_int() const { return integer_; }
  uint64_t as_uint() const { return static_cast<uint64_t>(integer_); }
  double as_double() const { return real_; }
  std::string_view text() const { return text_; }  // string, bytes
  int64_t seconds() const { return integer_; }     // timestamp
  uint32_t nanos() const { return nanos_; }
  Kind type_value() const { return static_cast<Kind>(integer_); }
  const meta::Quantity& as_quantity() const { return *static_cast<const meta::Quantity*>(owner_.get()); }
  const Value* optional_value() const { return items_.empty() ? nullptr : items_.begin(); }

  // Lists and maps: number of items or entries. Others: bytes of the text, else 1.
  size_t size() const;
  Result<Value, Fault> item(size_t i) const;  // list
  Result<Value, Fault> key(size_t i) const;   // map
  Result<Value, Fault> entry(size_t i) const;
  // The value at a key; no value when it is not there. Members that are null count as absent in objects.
  Result<Value, Fault> find(const Value& key, bool& found) const;
  // A member of an object, by the name that expressions use; in a map by the key itself.
  Result<Value, Fault> member(std::string_view name, std::string_view property, bool& found) const;
  // Order means nothing: a list of type set or map.
  bool is_unordered() const;
  const meta::SchemaNode* schema() const { return node_; }
  bool is_literal_map() const { return kind_ == Kind::kMap && document_ == nullptr; }
  bool is_view() const { return document_ != nullptr; }  // a list or map of a document

 private:
  struct ItemsView {
    const Value* first = nullptr;
    size_t count = 0;
    const Value* begin() const { return first; }
    const Value* end() const;
    bool empty() const { return count == 0; }
    size_t size() const { return count; }
    const Value& operator[](size_t i) const;
  };
  void own(Items items);
  static Result<Value, Fault> of_text(std::string_view text, meta::Format format);

  Kind kind_ = Kind::kNull;
  uint32_t nanos_ = 0;
  union {
    int64_t integer_ = 0;
    double real_;
  };
  std::string_view text_;
  ItemsView items_;
  const json::Value* document_ = nullptr;
  const meta::SchemaNode* node_ = nullptr;
  std::shared_ptr<const void> owner_;
};

using Outcome = Result<Value, Fault>;

// Deep equality; numbers by value whatever their type. `steps` grows with what was looked at; a comparison that would
// look at more than `limit` is given up as unequal, and the caller sees it from the steps.
bool equal(const Value& a, const Value& b, uint64_t& steps, uint64_t limit);

// -1, 0, 1; 2 when one is NaN; a fault when the two have no order.
Result<int, Fault> compare(const Value& a, const Value& b);

}  // namespace chandler::cel
