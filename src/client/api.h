// How controllers reach the API, in process or over HTTP: what is known (from memory, kept up to date by watches),
// writing, and asking what somebody may do. Reading never waits; writing ends in a callback.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "auth/attributes.h"
#include "base/result.h"
#include "client/kind_names.h"
#include "client/object.h"

namespace chandler::client {

// In front of the key of a label, where a selection may name a field. Labels of every kind are indexed.
inline constexpr std::string_view kLabelField = "metadata.labels.";

struct Selection {
  std::string ns;  // "": all namespaces, or the cluster scope
  // Selectable fields (as in the kind's YAML) that must have these values: {"spec.externalName", "mysql"}; or labels:
  // {"metadata.labels.app", "shop"}.
  std::vector<std::pair<std::string, std::string>> fields;
};

// One change. No `before`: created; no `now`: deleted.
struct Change {
  KindName kind;
  Object before;
  Object now;
};

// What is known now. Answers come from memory; a change is visible here before listeners are told.
class State {
 public:
  using Listener = std::function<void(const Change&)>;
  virtual ~State() = default;

  virtual Object get(const KindName& kind, std::string_view ns, std::string_view name) const = 0;
  // By namespace and name; answered from an index when fields are given.
  virtual std::vector<Object> list(const KindName& kind, const Selection& selection) const = 0;
  // The value of a selectable field of an object of the kind; "" when it has none.
  virtual std::string_view field(const KindName& kind, const Object& object, std::string_view field) const = 0;
  // What the API serves under a word (Kind, plural, singular or short name) in a group; none when it serves nothing of
  // the sort. `version` empty: the preferred one. Answers change only together with a CustomResourceDefinition.
  virtual std::optional<ServedKind> find_kind(std::string_view group, std::string_view version,
                                              std::string_view word) const = 0;
  // False while the objects of a kind that is listened to are still being fetched for the first time.
  virtual bool has_listed(const KindName& kind) const = 0;
  // Tells every change of the given kinds from now on, in order, on a thread of its own choosing: quick, no waiting.
  // The Objects handed over belong to the listener's thread. At any time.
  virtual void listen(std::vector<KindName> kinds, Listener listener) = 0;
};

struct Write {
  // kUpdateBoth: the object and its status at once, for a Writer that can.
  enum class Verb { kCreate, kUpdate, kUpdateStatus, kDelete, kUpdateBoth };
  Verb verb = Verb::kUpdate;
  KindName kind;
  std::string ns;
  std::string name;
  // Complete object. An update carries metadata.resourceVersion, so that nothing newer is overwritten.
  json::Value object;
  // Preconditions of a delete; empty: none.
  std::string uid;
  std::string resource_version;
  // For one of thousands in a step: makes the whole write when its turn comes, so that those that wait hold no
  // document. All but the object is as said above. Writers never see it.
  std::function<Write()> make{};
  // Of a create: the object begins with the status it carries, where the Writer can do that. Elsewhere, as with the
  // Kubernetes API, it begins without: somebody must be there to write the status then.
  bool with_status = false;
  // Its writer is about to write more, and calls end_burst() when it has no more: what is written in between may be
  // stored together.
  bool more_follows = false;
  // Of an update: the state it was decided on, for a Writer to which that spares reading it once more.
  Object base{};
};

class Writer {
 public:
  // The object as stored now; after a delete its last state, or none when it was gone already.
  using Done = std::function<void(Result<Object>)>;
  virtual ~Writer() = default;
  // `done` runs once, on any thread, after the change is visible in State (for what State follows).
  virtual void write(Write write, Done done) = 0;
  // Whether it takes kUpdateBoth, and a create with a status. The Kubernetes API does not: there an object and its
  // status are two writes.
  virtual bool writes_both() const { return false; }
  virtual void end_burst() {}  // see Write::more_follows
};

// May this user (none: whom this API acts as) do that? For rights that controllers exercise on behalf of who asked.
class Access {
 public:
  enum class Decision { kAllowed, kDenied, kUnknown };  // kUnknown: being asked; `changed` runs when it is known
  virtual ~Access() = default;
  virtual Decision may(const auth::Attributes& attributes) = 0;
  virtual void on_changed(std::function<void()> changed) = 0;
};

class Api {
 public:
  virtual ~Api() = default;
  virtual State& state() = 0;
  virtual Writer& writer() = 0;
  virtual Access& access() = 0;
};

}  // namespace chandler::client
