#include "cel/value.h"

#include <cmath>
#include <limits>

#include "base/text.h"
#include "base/time_text.h"
#include "cel/instant.h"
#include "cel/property_name.h"

namespace chandler::cel {
namespace {

constexpr double kTwo63 = 9223372036854775808.0;

Fault unreadable(std::string_view what) { return {"a field holds no valid " + std::string(what), false}; }

template <typename T>
int order(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

bool is_number(const Value& v) { return v.is(Kind::kInt) || v.is(Kind::kUint) || v.is(Kind::kDouble); }

int order_int_uint(int64_t a, uint64_t b) { return a < 0 ? -1 : order(static_cast<uint64_t>(a), b); }

// long double of x86 and quad precision hold all 64 bits; the comparison is exact.
long double widened(const Value& v) {
  if (v.is(Kind::kInt)) return static_cast<long double>(v.as_int());
  if (v.is(Kind::kUint)) return static_cast<long double>(v.as_uint());
  return static_cast<long double>(v.as_double());
}

int order_numbers(const Value& a, const Value& b) {
  if (a.is(Kind::kInt) && b.is(Kind::kInt)) return order(a.as_int(), b.as_int());
  if (a.is(Kind::kUint) && b.is(Kind::kUint)) return order(a.as_uint(), b.as_uint());
  if (a.is(Kind::kInt) && b.is(Kind::kUint)) return order_int_uint(a.as_int(), b.as_uint());
  if (a.is(Kind::kUint) && b.is(Kind::kInt)) return -order_int_uint(b.as_int(), a.as_uint());
  const long double x = widened(a);
  const long double y = widened(b);
  if (std::isnan(x) || std::isnan(y)) return 2;
  return order(x, y);
}

bool equal_lists(const Value& a, const Value& b, uint64_t& steps, uint64_t limit) {
  if (a.size() != b.size()) return false;
  const bool unordered = a.is_unordered() || b.is_unordered();
  std::vector<bool> taken(unordered ? b.size() : 0, false);
  steps += taken.size() / 64;
  for (size_t i = 0; i < a.size(); ++i) {
    const auto x = a.item(i);
    if (!x.ok()) return false;
    bool found = false;
    for (size_t j = unordered ? 0 : i; j < b.size() && !found; ++j) {
      if (steps > limit) return false;
      if (unordered && taken[j]) continue;
      const auto y = b.item(j);
      found = y.ok() && equal(*x, *y, steps, limit);
      if (found && unordered) taken[j] = true;
      if (!unordered) break;
    }
    if (!found) return false;
  }
  return true;
}

bool equal_maps(const Value& a, const Value& b, uint64_t& steps, uint64_t limit) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (steps > limit) return false;
    const auto key = a.key(i);
    const auto x = a.entry(i);
    if (!key.ok() || !x.ok()) return false;
    if (b.is_literal_map()) steps += b.size();
    bool found = false;
    const auto y = b.find(*key, found);
    if (!y.ok() || !found || !equal(*x, *y, steps, limit)) return false;
  }
  return true;
}

}  // namespace

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::kNull:
      return "null_type";
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
      return "int";
    case Kind::kUint:
      return "uint";
    case Kind::kDouble:
      return "double";
    case Kind::kString:
      return "string";
    case Kind::kBytes:
      return "bytes";
    case Kind::kTimestamp:
      return "google.protobuf.Timestamp";
    case Kind::kDuration:
      return "google.protobuf.Duration";
    case Kind::kList:
      return "list";
    case Kind::kMap:
      return "map";
    case Kind::kType:
      return "type";
    case Kind::kOptional:
      return "optional_type";
    case Kind::kQuantity:
      return "kubernetes.Quantity";
  }
  return "";
}

const Value* Value::ItemsView::end() const { return first + count; }
const Value& Value::ItemsView::operator[](size_t i) const { return first[i]; }

void Value::own(Items items) {
  auto kept = std::make_shared<const Items>(std::move(items));
  items_ = {kept->data(), kept->size()};
  owner_ = std::move(kept);
}

Value Value::boolean(bool b) {
  Value v = integer(b ? 1 : 0);
  v.kind_ = Kind::kBool;
  return v;
}

Value Value::integer(int64_t i) {
  Value v;
  v.kind_ = Kind::kInt;
  v.integer_ = i;
  return v;
}

Value Value::unsigned_integer(uint64_t u) {
  Value v = integer(static_cast<int64_t>(u));
  v.kind_ = Kind::kUint;
  return v;
}

Value Value::real(double d) {
  Value v;
  v.kind_ = Kind::kDouble;
  v.real_ = d;
  return v;
}

Value Value::string(std::string text) {
  auto kept = std::make_shared<const std::string>(std::move(text));
  Value v = string_view(*kept);
  v.owner_ = std::move(kept);
  return v;
}

Value Value::string_view(std::string_view text) {
  Value v;
  v.kind_ = Kind::kString;
  v.text_ = text;
  return v;
}

Value Value::bytes(std::string bytes) {
  Value v = string(std::move(bytes));
  v.kind_ = Kind::kBytes;
  return v;
}

Value Value::timestamp(int64_t seconds, uint32_t nanos) {
  Value v = integer(seconds);
  v.kind_ = Kind::kTimestamp;
  v.nanos_ = nanos;
  return v;
}

Value Value::duration(int64_t nanos) {
  Value v = integer(nanos);
  v.kind_ = Kind::kDuration;
  return v;
}

Value Value::list(Items items) {
  Value v;
  v.kind_ = Kind::kList;
  v.own(std::move(items));
  return v;
}

Value Value::map(Items keys_and_values) {
  Value v = list(std::move(keys_and_values));
  v.kind_ = Kind::kMap;
  return v;
}

Value Value::type(Kind of) {
  Value v = integer(static_cast<int64_t>(of));
  v.kind_ = Kind::kType;
  return v;
}

Value Value::quantity(meta::Quantity quantity) {
  Value v;
  v.kind_ = Kind::kQuantity;
  v.owner_ = std::make_shared<const meta::Quantity>(quantity);
  return v;
}

Value Value::none() {
  Value v;
  v.kind_ = Kind::kOptional;
  return v;
}

Value Value::some(Value value) {
  Value v = list({std::move(value)});
  v.kind_ = Kind::kOptional;
  return v;
}

Outcome Value::of_text(std::string_view text, meta::Format format) {
  switch (format) {
    case meta::Format::kByte: {
      auto decoded = base64_decode(text);
      if (!decoded) return unreadable("base64 text");
      return bytes(std::move(*decoded));
    }
    case meta::Format::kDuration: {
      const auto parsed = parse_go_duration(text);
      if (!parsed) return unreadable("duration");
      return duration(parsed->count());
    }
    case meta::Format::kDate:
    case meta::Format::kDateTime:
    case meta::Format::kMicroTime: {
      const auto parsed = format == meta::Format::kDate ? parse_date(text) : parse_instant(text);
      if (!parsed) return unreadable("time");
      return timestamp(parsed->seconds, parsed->nanos);
    }
    default:
      return string_view(text);
  }
}

Outcome Value::of(const json::Value& document, const meta::SchemaNode* node) {
  Value v;
  switch (document.kind()) {
    case boost::json::kind::null:
      return v;
    case boost::json::kind::bool_:
      return boolean(document.get_bool());
    case boost::json::kind::string:
      return of_text(json::view(document.get_string()), node == nullptr ? meta::Format::kNone : node->format);
    case boost::json::kind::array:
      v.kind_ = Kind::kList;
      break;
    case boost::json::kind::object:
      v.kind_ = Kind::kMap;
      break;
    default: {
      const bool real = node != nullptr && node->types == meta::kTypeNumber;
      const bool whole = node != nullptr && node->types == meta::kTypeInteger;
      if (const auto* i = document.if_int64()) return real ? Value::real(static_cast<double>(*i)) : integer(*i);
      if (const auto* u = document.if_uint64()) {
        return real ? Value::real(static_cast<double>(*u)) : unsigned_integer(*u);
      }
      const double d = document.get_double();
      if (whole && d >= -kTwo63 && d < kTwo63 && std::floor(d) == d) return integer(static_cast<int64_t>(d));
      return Value::real(d);
    }
  }
  v.document_ = &document;
  v.node_ = node;
  return v;
}

size_t Value::size() const {
  switch (kind_) {
    case Kind::kString:
    case Kind::kBytes:
      return text_.size();
    case Kind::kList:
      return document_ != nullptr ? document_->get_array().size() : items_.size();
    case Kind::kMap:
      return document_ != nullptr ? document_->get_object().size() : items_.size() / 2;
    default:
      return 1;
  }
}

Outcome Value::item(size_t i) const {
  if (document_ == nullptr) return items_[i];
  return of(document_->get_array()[i], node_ == nullptr ? nullptr : node_->items);
}

Outcome Value::key(size_t i) const {
  if (document_ == nullptr) return items_[2 * i];
  return string_view((document_->get_object().begin() + static_cast<std::ptrdiff_t>(i))->key());
}

Outcome Value::entry(size_t i) const {
  if (document_ == nullptr) return items_[2 * i + 1];
  const auto& member = *(document_->get_object().begin() + static_cast<std::ptrdiff_t>(i));
  return of(member.value(), node_ == nullptr ? nullptr : node_->member(member.key()));
}

Outcome Value::find(const Value& key, bool& found) const {
  found = false;
  if (document_ == nullptr) {
    for (size_t i = 0; i + 1 < items_.size(); i += 2) {
      uint64_t steps = 0;
      if (!equal(items_[i], key, steps, 1)) continue;
      found = true;
      return items_[i + 1];
    }
    return Value();
  }
  if (!key.is(Kind::kString)) return Value();
  const auto* value = document_->get_object().if_contains(key.text());
  if (value == nullptr) return Value();
  found = true;
  return of(*value, node_ == nullptr ? nullptr : node_->member(key.text()));
}

Outcome Value::member(std::string_view name, std::string_view property, bool& found) const {
  found = false;
  if (kind_ != Kind::kMap) return Fault{"no such overload: " + std::string(kind_name(kind_)) + " has no fields", false};
  const bool object = document_ != nullptr && node_ != nullptr && node_->additional == nullptr;
  if (!object) return find(string_view(name), found);
  const auto* value = document_->get_object().if_contains(property);
  if (value == nullptr || value->is_null()) return Value();
  found = true;
  return of(*value, node_->member(property));
}

bool Value::is_unordered() const {
  return node_ != nullptr && kind_ == Kind::kList &&
         (node_->list_type == meta::ListType::kSet || node_->list_type == meta::ListType::kMap);
}

bool equal(const Value& a, const Value& b, uint64_t& steps, uint64_t limit) {
  ++steps;
  if (is_number(a) && is_number(b)) return order_numbers(a, b) == 0;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::kNull:
      return true;
    case Kind::kBool:
    case Kind::kDuration:
    case Kind::kType:
      return a.as_int() == b.as_int();
    case Kind::kTimestamp:
      return a.seconds() == b.seconds() && a.nanos() == b.nanos();
    case Kind::kString:
    case Kind::kBytes:
      steps += std::min(a.text().size(), b.text().size()) / 64;
      return a.text() == b.text();
    case Kind::kList:
      return equal_lists(a, b, steps, limit);
    case Kind::kMap:
      return equal_maps(a, b, steps, limit);
    case Kind::kQuantity:
      return a.as_quantity() == b.as_quantity();
    case Kind::kOptional: {
      const auto* x = a.optional_value();
      const auto* y = b.optional_value();
      return x == nullptr || y == nullptr ? x == y : equal(*x, *y, steps, limit);
    }
    default:
      return false;
  }
}

Result<int, Fault> compare(const Value& a, const Value& b) {
  if (is_number(a) && is_number(b)) return order_numbers(a, b);
  if (a.kind() == b.kind()) {
    switch (a.kind()) {
      case Kind::kBool:
      case Kind::kDuration:
        return order(a.as_int(), b.as_int());
      case Kind::kTimestamp:
        return order(std::pair(a.seconds(), a.nanos()), std::pair(b.seconds(), b.nanos()));
      case Kind::kString:
      case Kind::kBytes:
        return order(a.text(), b.text());
      default:
        break;
    }
  }
  return Fault{"no such overload: " + std::string(kind_name(a.kind())) + " and " + std::string(kind_name(b.kind())) +
                   " have no order",
               false};
}

}  // namespace chandler::cel
