// How the server's own duties write: through the same rules and admission as everybody, under an identity of their own.
// Blocking; not for I/O threads or the store's thread.
#pragma once

#include <string>
#include <string_view>

#include "registry/objects.h"

namespace chandler::apiserver {

class SystemWriter {
 public:
  // `account`: a service account of kube-system, named in audit and access rules.
  SystemWriter(registry::Objects& objects, std::string_view account);

  using Change = registry::Objects::Transform;
  Result<registry::WriteResult> create(const registry::KindPtr& kind, std::string_view ns, json::Value object);
  Result<registry::WriteResult> update(const registry::KindPtr& kind, std::string_view ns, std::string_view name,
                                       Change change, std::string_view subresource = "");
  Result<registry::WriteResult> remove(const registry::KindPtr& kind, std::string_view ns, std::string_view name,
                                       registry::DeleteOptions options = {});

 private:
  std::shared_ptr<registry::WriteRequest> request(const registry::KindPtr& kind, std::string_view ns,
                                                  std::string_view name) const;

  registry::Objects& objects_;
  std::shared_ptr<const auth::User> user_;
};

}  // namespace chandler::apiserver
