// One service or plan of a catalog while it is read: gives its fields with their types checked, and notes what is wrong
// under the entry's name. Refers to the document and the list of problems. Belongs to one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "osb/broker_text.h"

namespace chandler::osb {

// Of a whole catalog. When it is full, only the number of further ones is kept.
class Problems {
 public:
  void add(std::string text);
  std::vector<std::string> take() &&;

 private:
  std::vector<std::string> texts_;
  size_t more_ = 0;
};

// How people find it when it has no name: `services[3]`, `services[3].plans[1] of service "db"`.
struct CatalogPlace {
  size_t service = 0;
  std::optional<size_t> plan{};
  std::string_view service_name{};  // with a plan

  std::string text() const;
};

class CatalogEntry {
 public:
  CatalogEntry(const json::Value& value, CatalogPlace place, Problems& problems, const BrokerText& text);

  const json::Value& value() const { return value_; }
  const BrokerText& text() const { return text_; }  // through which what is shown of it goes
  bool is_good() const { return good_; }
  // Something is wrong, but the entry can be used without it.
  void note(std::string_view what);
  // The entry cannot be used. Only the first reason is noted.
  void reject(std::string_view what);

  std::string name(std::string_view key);                   // required, 1 to 63 characters; rejects what is not clean
  std::string description(const std::string& fallback);     // cut when too long
  bool required_flag(std::string_view key);                 // rejects
  bool flag(std::string_view key, bool fallback);           // rejects when it is no boolean
  std::optional<bool> optional_flag(std::string_view key);  // rejects when it is no boolean
  std::vector<std::string> texts(std::string_view key);     // rejects when it is no list of strings
  json::Value object(std::string_view key, size_t limit);   // left out when it is no object or too large
  json::Value object(const json::Value* found, std::string_view path, size_t limit);
  // What the broker tells people besides: texts cleaned, addresses that nobody should follow left out. What it suggests
  // as parameters stands there too, and goes back to it: that stays as it is.
  json::Value metadata(size_t limit);

 private:
  const json::Value* find(std::string_view key) const;  // null counts as absent
  std::string_view kind() const { return place_.plan ? "plan" : "service"; }
  std::string title() const;

  const json::Value& value_;
  const CatalogPlace place_;
  Problems& problems_;
  const BrokerText& text_;
  bool good_ = true;
};

}  // namespace chandler::osb
