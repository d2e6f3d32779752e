// The API for programs that wait: the command line. Each call is one request; nothing is discovered, the caller knows
// its resources. Errors are the server's own, with every cause. Thread-safe, as far as the connection is.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "client/connection.h"
#include "client/resource_path.h"
#include "http/client.h"
#include "json/value.h"

namespace chandler::client {

struct ListRequest {
  std::string ns;  // "": all namespaces, or the cluster scope
  std::string label_selector;
  std::string field_selector;
  int limit = 500;  // per page; 0: all at once
  // The server's own table, as `kubectl get` shows it.
  bool table = false;
};

struct WriteOptions {
  bool dry_run = false;
  bool strict = true;  // unknown fields are errors
};

struct DeleteRequest {
  std::string uid;  // preconditions; empty: none
  std::string resource_version;
  std::string propagation;  // Background, Foreground, Orphan; empty: as the server likes
  bool dry_run = false;
};

struct WatchRequest {
  std::string ns;
  std::string name;  // of a single object
  std::string label_selector;
  std::string field_selector;
  std::string resource_version;       // changes after it; empty: all objects first
  std::chrono::seconds timeout{300};  // the server ends the watch after this
};

class Rest {
 public:
  // `client` outlives it.
  Rest(http::Client& client, Connection connection, std::string field_manager);

  const Connection& connection() const { return connection_; }

  // Called with each warning of an answer (kubectl shows them too), on the thread of the call that it answers. Set it
  // before the first call.
  void on_warning(std::function<void(const std::string& text)> listener) { on_warning_ = std::move(listener); }

  Result<json::Value> get(const Resource& resource, std::string_view ns, std::string_view name);
  // `page` gets each list object as it comes, so that output can start early; false ends it. One request per page; the
  // next one is on its way while `page` works.
  Result<void> list(const Resource& resource, const ListRequest& request,
                    const std::function<bool(json::Value page)>& page);
  Result<json::Value> create(const Resource& resource, std::string_view ns, const json::Value& object,
                             const WriteOptions& options = {});
  Result<json::Value> update(const Resource& resource, std::string_view ns, std::string_view name,
                             const json::Value& object, const WriteOptions& options = {});
  Result<json::Value> update_status(const Resource& resource, std::string_view ns, std::string_view name,
                                    const json::Value& object);
  // A JSON merge patch (RFC 7386).
  Result<json::Value> patch(const Resource& resource, std::string_view ns, std::string_view name,
                            const json::Value& patch, const WriteOptions& options = {});
  // The object when it still is there (finalizers), otherwise a Status.
  Result<json::Value> remove(const Resource& resource, std::string_view ns, std::string_view name,
                             const DeleteRequest& request = {});
  // Until the server ends it (success), `event` returns false (success), or it breaks. `event` runs on the caller's
  // thread with ADDED, MODIFIED, DELETED or BOOKMARK. An ERROR event is the error.
  Result<void> watch(const Resource& resource, const WatchRequest& request,
                     const std::function<bool(std::string_view type, json::Value object)>& event);
  // Any path as text: /version, /healthz, /openapi/v3.
  Result<std::string> get_text(std::string_view path);

 private:
  Result<json::Value> send(http::ClientRequest request);
  Result<json::Value> result_of(const http::ClientOutcome& outcome);
  Result<json::Value> write(std::string_view method, const std::string& path, const json::Value& body,
                            const WriteOptions& options, std::string_view content_type = "application/json");
  // A refused credential is not used again; warnings are told.
  void note(const http::ClientOutcome& outcome);

  http::Client& client_;
  const Connection connection_;
  const std::string field_manager_;
  std::function<void(const std::string& text)> on_warning_;
};

}  // namespace chandler::client
