#include "apiserver/housekeeping/system_writer.h"

#include <utility>

#include "auth/service_account_tokens.h"

namespace chandler::apiserver {

SystemWriter::SystemWriter(registry::Objects& objects, std::string_view account) : objects_(objects) {
  auth::User user;
  user.name = auth::service_account_user("kube-system", account);
  user.groups = auth::service_account_groups("kube-system");
  user.groups.emplace_back(auth::kAuthenticated);
  user_ = std::make_shared<const auth::User>(std::move(user));
}

std::shared_ptr<registry::WriteRequest> SystemWriter::request(const registry::KindPtr& kind, std::string_view ns,
                                                              std::string_view name) const {
  auto out = std::make_shared<registry::WriteRequest>();
  out->kind = kind;
  out->version = &kind->storage_version();
  out->ns = ns;
  out->name = name;
  out->user = user_;
  out->validation = registry::FieldValidation::kIgnore;
  return out;
}

Result<registry::WriteResult> SystemWriter::create(const registry::KindPtr& kind, std::string_view ns,
                                                   json::Value object) {
  return objects_.create_and_wait(request(kind, ns, ""), std::move(object));
}

Result<registry::WriteResult> SystemWriter::update(const registry::KindPtr& kind, std::string_view ns,
                                                   std::string_view name, Change change, std::string_view subresource) {
  auto made = request(kind, ns, name);
  made->subresource = subresource;
  made->manager = "chandler";
  made->managed_subresource = subresource;
  return objects_.update_and_wait(std::move(made), std::move(change));
}

Result<registry::WriteResult> SystemWriter::remove(const registry::KindPtr& kind, std::string_view ns,
                                                   std::string_view name, registry::DeleteOptions options) {
  return objects_.remove_and_wait(request(kind, ns, name), std::move(options));
}

}  // namespace chandler::apiserver
