// The server as commands use it: objects with their apiVersion and kind, lists by selectable fields, careful changes.
// Works with servers that cannot select by these fields too: then everything is listed and filtered here. Belongs to
// one thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/rest.h"
#include "json/value.h"
#include "svcat/catalog/kinds.h"

namespace chandler::svcat {

// {"spec.externalName", "mysql"}: all must have these values.
using FieldValues = std::vector<std::pair<std::string, std::string>>;

struct Page {
  std::vector<json::Value> items;
  bool more = false;             // other pages follow
  std::string resource_version;  // of the list
};

class Catalog {
 public:
  explicit Catalog(client::Rest& rest) : rest_(rest) {}

  client::Rest& rest() { return rest_; }

  Result<json::Value> get(const Kind& kind, std::string_view ns, std::string_view name);
  // Page by page as they arrive; false ends it. A kind that the server may lack is an empty list then.
  Result<void> pages(const Kind& kind, std::string_view ns, const FieldValues& fields,
                     const std::function<bool(Page page)>& each);
  Result<std::vector<json::Value>> list(const Kind& kind, std::string_view ns, const FieldValues& fields = {},
                                        std::string_view label_selector = "");
  Result<json::Value> create(const Kind& kind, std::string_view ns, const json::Value& object);
  // Reads, lets `edit` change and writes; again when somebody else wrote in between, three times at most.
  Result<json::Value> change(const Kind& kind, std::string_view ns, std::string_view name,
                             const std::function<Result<void>(json::Object& object)>& edit);
  Result<json::Value> patch(const Kind& kind, std::string_view ns, std::string_view name, const json::Value& patch);
  Result<void> remove(const Kind& kind, std::string_view ns, std::string_view name);

  Error explained(Error error, const Kind& kind) const;  // with what helps, where the server's words do not say it

 private:
  client::Rest& rest_;
};

bool is_not_found(const Error& error);
// The dotted path leads to that text (or to true or false).
bool field_is(const json::Value& object, std::string_view path, std::string_view value);
void set_kind(json::Value& object, const Kind& kind);

}  // namespace chandler::svcat
