// A broker object as its reconciler reads it, the same for both scopes. catalog/views_test.cc checks the paths.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "reconcilers/catalog/conditions.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/catalog/retry.h"

namespace chandler::reconcilers {

class BrokerView {
 public:
  BrokerView(Scope scope, client::Object object) : scope_(scope), object_(std::move(object)) {}

  const client::Object& object() const { return object_; }
  Scope scope() const { return scope_; }
  const ScopeNames& names() const { return names_of(scope_); }
  BrokerRef ref() const { return {scope_, std::string(object_.ns()), std::string(object_.name())}; }
  std::string kind_and_name() const { return std::string(names().broker_kind) + " " + ref().lane(); }

  bool relists_by_itself() const { return text_at(spec(), "relistBehavior") != "Manual"; }
  // As the spec says, at least a second; nullopt: the setting applies.
  std::optional<std::chrono::milliseconds> relist_interval() const;
  std::vector<std::string> class_restrictions() const { return restrictions("serviceClass"); }
  std::vector<std::string> plan_restrictions() const { return restrictions("servicePlan"); }

  struct SecretRef {
    std::string ns;
    std::string name;
    bool operator==(const SecretRef&) const = default;
  };
  std::optional<SecretRef> auth_secret() const;

  bool ready() const { return condition_true(status(), kReady); }
  int64_t reconciled_generation() const { return number_at(status(), "reconciledGeneration"); }
  // The generation that the latest try was made for, successful or not.
  int64_t observed_generation() const { return number_at(status(), "observedGeneration"); }
  std::optional<WallTime> last_retrieval() const { return time_at(status(), "lastCatalogRetrievalTime"); }
  // Since when instances or bindings have reason to think that the catalog, or how it is asked for, is out of date.
  bool is_doubted() const { return time_at(status(), "catalogDoubtTime").has_value(); }
  std::string etag() const { return text_at(status(), "catalogETag"); }
  std::string reading() const { return text_at(status(), "catalogReading"); }
  int64_t class_count() const { return number_at(member(status(), "catalogCounts"), "classes"); }
  int64_t plan_count() const { return number_at(member(status(), "catalogCounts"), "plans"); }

  const json::Value& spec() const { return spec_of(object_); }
  const json::Value& status() const { return status_of(object_); }

 private:
  std::vector<std::string> restrictions(std::string_view of) const;

  Scope scope_;
  client::Object object_;
};

}  // namespace chandler::reconcilers
