// A claim and a resource class as the reconcilers read them. What is missing counts as empty. Cheap to copy; borrows
// nothing but the shared document.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "client/object.h"
#include "reconcilers/catalog/document.h"

namespace chandler::reconcilers::claims {

struct ClassName {
  std::string ns;
  std::string name;
  bool operator==(const ClassName&) const = default;
  std::string text() const { return ns + "/" + name; }
};

// The managed resource that was decided on: status.resource, or what the user names in spec.resourceRef.
struct ResourceRecord {
  std::string api_version;
  std::string kind;
  std::string ns;
  std::string name;
  std::string uid;      // empty until it was seen
  std::string binding;  // of a ServiceInstance
  bool is_static = false;
  bool empty() const { return name.empty(); }
  std::string text() const { return ns.empty() ? kind + " " + name : kind + " " + ns + "/" + name; }
  bool operator==(const ResourceRecord&) const = default;
};

class ClaimView {
 public:
  ClaimView(const client::KindName& kind, client::Object object) : kind_(kind), object_(std::move(object)) {}

  const client::KindName& kind() const { return kind_; }
  const client::Object& object() const { return object_; }
  const json::Value& spec() const { return spec_of(object_); }
  const json::Value& status() const { return status_of(object_); }
  std::string name() const { return std::string(object_.name()); }
  std::string ns() const { return std::string(object_.ns()); }
  std::string uid() const { return std::string(object_.uid()); }
  std::string kind_word() const { return text_at(object_.value(), "kind"); }
  std::string api_version() const { return text_at(object_.value(), "apiVersion"); }
  std::string claim_kind() const;  // "postgresqlinstance.storage.crossplane.io"
  std::string address() const { return claim_kind() + "/" + ns() + "/" + name(); }

  ClassName reference() const;  // either spelling; empty when none is given
  bool has_other_spelling() const { return member(spec(), "classRef").is_object(); }
  const json::Value& selector() const { return member(spec(), "classSelector"); }
  std::string engine_version() const { return text_at(spec(), "engineVersion"); }
  std::string secret_name() const;
  ResourceRecord given_resource() const;  // spec.resourceRef

  // What was decided before.
  const json::Value& resolution() const { return member(status(), "resolution"); }
  ClassName resolved_class() const;
  // The class was chosen by the controller, not named by the user.
  bool was_chosen() const;
  ResourceRecord resource() const;  // status.resource
  bool retains() const { return text_at(resolution(), "reclaimPolicy") == "Retain"; }

 private:
  client::KindName kind_;
  client::Object object_;
};

class ResourceClassView {
 public:
  explicit ResourceClassView(client::Object object) : object_(std::move(object)) {}

  const client::Object& object() const { return object_; }
  ClassName name() const { return {std::string(object_.ns()), std::string(object_.name())}; }
  std::string provisioner() const { return text_at(object_.value(), "provisioner"); }
  std::string provider() const { return text_at(member(object_.value(), "providerRef"), "name"); }
  std::string reclaim_policy() const;
  const json::Value& parameters() const { return member(object_.value(), "parameters"); }
  std::string parameter(std::string_view key) const { return text_at(parameters(), key); }
  std::string engine_version() const { return parameter("engineVersion"); }
  int64_t priority() const;
  std::string created() const { return text_at(member(object_.value(), "metadata"), "creationTimestamp"); }

 private:
  client::Object object_;
};

}  // namespace chandler::reconcilers::claims
