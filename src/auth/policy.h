// Role-based access control: all roles and bindings, indexed by subject, and the answer to "may they?". A Policy is a
// snapshot: copies are cheap (they share everything) and once published it is only read, from any thread.
// PolicyStore in policy_store.h follows the stored objects.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "auth/attributes.h"
#include "auth/rule.h"
#include "auth/shared_map.h"
#include "auth/user.h"
#include "json/value.h"

namespace chandler::auth {

inline constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";

struct Role {
  std::vector<Rule> rules;
};

struct Binding {
  std::string kind;  // RoleBinding or ClusterRoleBinding
  std::string ns;    // empty for a ClusterRoleBinding
  std::string name;
  std::string role_kind;  // Role or ClusterRole
  std::string role_name;
  std::vector<std::string> users;   // sorted, unique; service accounts under their user name
  std::vector<std::string> groups;  // sorted, unique
};

struct Decision {
  bool allowed = false;
  std::shared_ptr<const Binding> binding;  // that allows it; null for system:masters
  std::shared_ptr<const Binding> broken;   // when refused: one that might have applied but names no existing role

  std::string reason() const;  // names the binding and the role; "" when there is nothing to say
};

// The names under which something is allowed. Views into the policy.
struct AllowedNames {
  bool all = false;
  std::set<std::string_view> names;

  bool has(std::string_view name) const { return all || names.contains(name); }
};

class Policy {
 public:
  Decision authorize(const Attributes& attributes) const;
  // The names for which bindings of attributes.namespace_ itself (empty: cluster-wide bindings) allow it, whatever the
  // attributes have as a name. For many names there is access_by_name.h.
  AllowedNames allowed_names(const Attributes& attributes) const;
  // All that the user holds in the namespace, cluster-wide grants included; `ns` empty: only these.
  std::vector<Rule> rules_for(const User& user, std::string_view ns) const;
  std::shared_ptr<const Role> role(std::string_view kind, std::string_view ns, std::string_view name) const;

  // Changes: only before the policy is shared. Objects of other kinds are ignored.
  void apply(const json::Value& object);
  void remove(std::string_view kind, std::string_view ns, std::string_view name);

 private:
  struct KeyView {
    std::string_view kind;
    std::string_view ns;
    std::string_view name;
  };
  struct Key {
    std::string kind;  // of the object; for the index of subjects User or Group
    std::string ns;    // of the object; for the index of subjects that of the bindings
    std::string name;
    operator KeyView() const { return {kind, ns, name}; }  // NOLINT: implicit on purpose
    friend bool operator==(const KeyView& a, const KeyView& b) {
      return a.name == b.name && a.ns == b.ns && a.kind == b.kind;
    }
  };
  struct KeyHash {
    using is_transparent = void;
    size_t operator()(const KeyView& key) const;
  };
  using Bindings = std::vector<std::shared_ptr<const Binding>>;  // sorted by name

  template <typename Visit>
  void visit_bindings(const User& user, std::string_view ns, Visit visit) const;
  template <typename Visit>
  bool visit_bindings_in(const User& user, std::string_view scope, Visit& visit) const;
  template <typename Visit>
  bool visit_subject(const KeyView& subject, Visit& visit) const;
  const Role* role_of(const Binding& binding) const;  // null: there is none
  void index(const std::shared_ptr<const Binding>& binding);
  void unindex(const Binding& binding);

  SharedMap<Key, std::shared_ptr<const Role>, KeyHash> roles_;
  SharedMap<Key, std::shared_ptr<const Binding>, KeyHash> bindings_;
  SharedMap<Key, Bindings, KeyHash> by_subject_;
};

}  // namespace chandler::auth
