// A broker's catalog, read once: its bytes as they are served, and what requests are checked against. Immutable, so it
// may be shared by threads.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text_hash.h"
#include "json/value.h"

namespace chandler::osb::server {

struct Plan {
  std::string service_id;
  std::string id;
  bool is_bindable = true;
  bool is_updateable = false;  // this plan can be left for another one
  bool is_rotatable = false;
  bool instances_retrievable = false;
  bool bindings_retrievable = false;
  std::string maintenance_version;
  // Into the catalog; null where there is none.
  const json::Value* create_schema = nullptr;
  const json::Value* update_schema = nullptr;
  const json::Value* bind_schema = nullptr;
  const json::Value* metadata = nullptr;
};

class Catalog {
 public:
  // The error names the service or plan and the field that is missing or taken.
  static Result<Catalog> read(json::Value document);

  const std::string& body() const { return body_; }
  const std::string& etag() const { return etag_; }  // with quotes
  bool has_service(std::string_view service_id) const { return services_.contains(service_id); }
  const Plan* plan(std::string_view service_id, std::string_view plan_id) const;  // null: not offered

 private:
  Result<void> read_service(const json::Value& service);

  std::shared_ptr<const json::Value> document_;  // at a fixed address: plans point into it
  std::string body_;
  std::string etag_;
  StableTextMap<StableTextMap<Plan>> services_;
};

// SHA-256 as lower-case hexadecimal text.
std::string sha256_hex(std::string_view bytes);

}  // namespace chandler::osb::server
