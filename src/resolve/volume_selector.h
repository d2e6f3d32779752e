// Which properties a volume gets: the options of its StorageClass and the selector of its claim are resolved into one
// value per key, or into every reason why that is impossible. Admission, the volume controllers, provisioners and
// `svcat` all ask here, so they always agree. The result depends on nothing but the arguments: not on the order of the
// requirements, and never on chance. Pure, thread-safe.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "resolve/selector_options.h"

namespace chandler::resolve {

inline constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";
inline constexpr std::string_view kBetaZoneLabel = "failure-domain.beta.kubernetes.io/zone";

// What a provisioner says about one key.
struct KeyProfile {
  bool always_valued = false;                      // the real thing always has a value, such as a zone
  std::string parameter;                           // class parameter that fixes the value; "": none
  std::string list_parameter;                      // class parameter with several values, separated by commas; "": none
  std::optional<std::vector<std::string>> values;  // all there are; nullopt: not known
};

struct ProvisionerProfile {
  std::map<std::string, KeyProfile, std::less<>> keys;
  // The provisioner refuses a value for any other key: it would not know what to do with it.
  bool refuses_other_keys = false;

  const KeyProfile& of(std::string_view key) const;  // of a key it does not know: nothing is known
};

// What is known of any provisioner: zones are always valued, and are restricted by the parameters zone and zones.
const ProvisionerProfile& common_profile();

// What is known of this provisioner without asking it: ours has its own keys and refuses others. Which zones it has is
// known only where it runs.
const ProvisionerProfile& known_profile(std::string_view provisioner);
inline constexpr std::string_view kLocalProvisioner = "chandler.io/local";
inline constexpr std::string_view kFormLabel = "storage.chandler.io/form";  // of its volumes: directory or image
// On a claim, while it stands: what that provisioner was told to make, and the finalizer that comes and goes with it.
inline constexpr std::string_view kOrderAnnotation = "storage.chandler.io/order";
inline constexpr std::string_view kOrderFinalizer = "storage.chandler.io/order";

// The part of a StorageClass that resolution looks at.
struct TunableClass {
  std::string name;
  std::string provisioner;
  std::map<std::string, std::string, std::less<>> parameters;
  std::map<std::string, std::vector<std::string>, std::less<>> topologies;  // key: values that some term allows
  std::vector<SelectorOption> options;
  SelectorChoice choice = SelectorChoice::kSpread;
};
// Fails only when the annotation with the options cannot be read.
Result<TunableClass> read_tunable_class(const json::Value& storage_class);

enum class SelectorFault {
  kInvalidSelector,
  kSelectorNotAllowed,
  kUnknownSelectorKey,
  kMissingRequiredKey,
  kUnsatisfiable,
  kAmbiguousSelector,
  kClassConflict,  // the class contradicts itself; not the claim's fault
};
std::string_view fault_name(SelectorFault fault);  // "UnknownSelectorKey"

struct SelectorProblem {
  SelectorFault fault = SelectorFault::kInvalidSelector;
  std::string key;      // "": about the whole selector
  std::string message;  // a sentence with the allowed values, at most ten of them
  std::string field;    // of the claim: "spec.selector.matchLabels[zone]"; of the class for kClassConflict

  auto operator<=>(const SelectorProblem&) const = default;
};

// The claim as resolution sees it. The selector is borrowed: null, a JSON null or an object.
struct SelectorRequest {
  std::string namespace_name;
  std::string claim_name;
  const json::Value* selector = nullptr;
  // What the chosen node adds: its value for a key counts as one more requirement.
  std::map<std::string, std::string, std::less<>> node_labels = {};
};

struct ResolvedKey {
  std::string key;
  std::optional<std::string> value;  // nullopt: left to the provisioner; no label unless the key is always valued
  std::string why;                   // "asked for", "default of the class", "chosen from a, b"

  bool operator==(const ResolvedKey&) const = default;
};

struct SelectorResolution {
  std::vector<ResolvedKey> keys;          // in the order of the class; empty when there are problems
  std::vector<SelectorProblem> problems;  // sorted
  std::vector<std::string> warnings;      // what is odd but does no harm: values that are never reached

  bool ok() const { return problems.empty(); }
  std::map<std::string, std::string> values() const;  // of the keys that have one
};

SelectorResolution resolve_selector(const TunableClass& storage_class, const ProvisionerProfile& profile,
                                    const SelectorRequest& request);

// What is wrong with the class itself: options that no value can satisfy, defaults that are out of reach. Warnings:
// allowed values that the parameters exclude.
struct ClassFindings {
  std::vector<SelectorProblem> problems;
  std::vector<std::string> warnings;
};
ClassFindings check_tunable_class(const TunableClass& storage_class, const ProvisionerProfile& profile);

// All problems in one line, for events and conditions.
std::string problems_text(std::span<const SelectorProblem> problems);

// One of several, the same for the same claim: members of a StatefulSet, whose claims end in -0, -1, -2, get
// neighbouring entries. `values` must not be empty.
const std::string& spread(const std::vector<std::string>& values, std::string_view namespace_name,
                          std::string_view claim_name, std::string_view key);

// --- The default class.
bool is_default_class(const json::Value& storage_class);
// The newest of the marked ones, of several the first by name; "" when there is none. Classes that are being deleted
// do not count.
struct ClassCandidate {
  std::string name;
  std::string created;  // creationTimestamp, as the API writes it
};
std::string default_class(std::span<const ClassCandidate> marked);

// The class that a claim names, in any spelling: the annotation of old beats the field. nullopt: none was named, which
// asks for the default; "": no class, on purpose.
std::optional<std::string> class_of_claim(const json::Value& claim);

}  // namespace chandler::resolve
