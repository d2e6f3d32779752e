// A ServiceBindingUsage as its reconciler reads it, and the snapshot that it keeps of its UsageKind. Borrows nothing
// but the Object it holds.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "client/object.h"
#include "reconcilers/catalog/document.h"
#include "resolve/label_path.h"

namespace chandler::reconcilers {

// Where labels are put: a workload of a kind, and the field in it.
struct LabelTarget {
  std::string group;
  std::string version;
  std::string kind;
  std::string plural;
  std::string labels_path;  // canonical
  std::string workload;

  // The same place; the version is how one asks for it, not where it is.
  bool same_place(const LabelTarget& other) const {
    return group == other.group && plural == other.plural && labels_path == other.labels_path &&
           workload == other.workload;
  }
  client::KindName kind_name() const;
  // "deployment.apps \"web\"", "pod \"web\""
  std::string described() const;
};

// What it takes to undo a delivery, whatever has become of the UsageKind: stored before anything is touched.
struct UsageSnapshot {
  std::string usage_kind;
  std::string usage_kind_uid;
  int64_t usage_kind_generation = 0;
  LabelTarget target;
  std::map<std::string, std::string> labels;

  static std::optional<UsageSnapshot> read(const json::Value& value);  // nullopt: there is none that can be used
  json::Object write() const;
};

class UsageView {
 public:
  explicit UsageView(client::Object object) : object_(std::move(object)) {}

  const client::Object& object() const { return object_; }
  const json::Value& spec() const { return spec_of(object_); }
  const json::Value& status() const { return status_of(object_); }
  std::string name() const { return std::string(object_.name()); }
  std::string ns() const { return std::string(object_.ns()); }
  std::string uid() const { return std::string(object_.uid()); }
  std::string binding_name() const { return text_at(member(spec(), "serviceBindingRef"), "name"); }
  std::string usage_kind() const { return text_at(member(spec(), "usedBy"), "kind"); }
  std::string workload() const { return text_at(member(spec(), "usedBy"), "name"); }
  std::string env_prefix() const { return text_at(member(spec(), {"parameters", "envPrefix"}), "name"); }
  bool restarts_on_secret_change() const { return text_at(spec(), "onSecretChange") == "Restart"; }
  std::string snapshot_map() const { return text_at(spec(), "snapshotConfigMapName"); }
  std::optional<UsageSnapshot> snapshot() const { return UsageSnapshot::read(member(status(), "snapshot")); }

  // The label that is this usage's alone.
  std::string own_label() const { return "use-" + uid(); }
  std::string preset_name() const { return "usage-" + uid(); }
  // A reference to this usage for what it makes.
  json::Object owner_reference() const;

 private:
  client::Object object_;
};

// The object refers to the owner.
bool has_owner(const client::Object& object, std::string_view uid);

// An update of the object to this value.
client::Write update_to(const client::KindName& kind, const client::Object& object, json::Value value);
client::Write create_of(const client::KindName& kind, std::string_view ns, std::string_view name, json::Value value);

}  // namespace chandler::reconcilers
