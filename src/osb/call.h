// One request to a broker as data, and where it goes. A reconciler decides on calls; sending them is somebody else's
// business. Plain values.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "http/client.h"
#include "json/value.h"

namespace chandler::osb {

enum class Method {
  kGetCatalog,
  kProvision,
  kUpdate,
  kDeprovision,
  kGetInstance,
  kPollInstance,
  kBind,
  kUnbind,
  kGetBinding,
  kPollBinding,
};
// As metrics name it: GetCatalog, ProvisionInstance, DeprovisionInstance, UpdateInstance, GetInstance,
// PollLastOperation, Bind, Unbind, GetBinding, PollBindingLastOperation.
std::string_view method_name(Method method);

using http::AddressRules;

struct Endpoint {
  std::string url;            // of the broker, with or without a trailing slash
  std::string authorization;  // value of the header, secret; empty: none
  std::shared_ptr<const http::ClientTls> tls;
  std::string api_version = "2.17";
  std::chrono::milliseconds timeout{60'000};
  std::shared_ptr<const AddressRules> addresses;  // null: any address
};

struct Call {
  Method method = Method::kGetCatalog;
  std::string instance_id;
  std::string binding_id;
  json::Value body;        // object for PUT and PATCH, null otherwise
  std::string service_id;  // query of DELETE, polls and GETs
  std::string plan_id;
  std::optional<std::string> operation;  // query of polls
  bool accepts_incomplete = true;        // query of PUT, PATCH and DELETE
  std::string originating_identity;      // the JSON of the user; sent as "kubernetes <base64>"; empty: none
  std::string request_identity;          // a fresh UUID per request
  std::string etag;                      // of the last catalog
};

}  // namespace chandler::osb
