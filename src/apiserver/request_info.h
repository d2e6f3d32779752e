// What a request is about, read off its path, method and query. Pure; the rest of the server looks only at this.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "http/message.h"

namespace chandler::apiserver {

class QueryParameters {
 public:
  static Result<QueryParameters> parse(std::string_view text);
  std::string_view get(std::string_view name) const;  // first value, "" when absent
  bool has(std::string_view name) const;
  std::vector<std::string_view> all(std::string_view name) const;
  // As the API reads booleans: absent false; "0" and "false" false; anything else, also empty, true.
  bool flag(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> pairs_;
};

struct RequestInfo {
  std::string path;  // decoded, without query, no trailing slash (except "/")
  QueryParameters query;
  bool is_resource = false;  // below /api/<version> or /apis/<group>/<version> and naming a resource
  std::string verb;  // get list watch create update patch delete deletecollection; else the method in lower case
  std::string group;
  std::string version;
  std::string ns;
  std::string resource;
  // The one object that the request is about, or "". A list or watch whose field selector demands a metadata.name is
  // about that object too. Authorization checks this name, and handlers touch nothing else (list_options.h).
  std::string name;
  bool name_in_path = false;
  std::string subresource;
};

// MethodNotAllowed for a method that the API does not have: verbs come from this list of methods and from nothing else
// that a client sends.
Result<RequestInfo> parse_request_info(http::Method method, std::string_view target);

}  // namespace chandler::apiserver
