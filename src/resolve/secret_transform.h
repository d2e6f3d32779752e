// Secret transforms: what is changed in the credentials of a broker before they become a Secret. Read from JSON, merged
// over class, plan and binding, applied, and encoded. Pure, thread-safe. No error and no line for people holds a value
// of the credentials or a value that a transform adds.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "meta/field_error.h"

namespace chandler::resolve {

struct SecretName {
  std::string namespace_name{};  // empty: that of the binding
  std::string name{};
  auto operator<=>(const SecretName&) const = default;
};

struct SecretTransform {
  enum class Kind { kRenameKey, kAddKey, kAddKeysFrom, kRemoveKey };
  Kind kind = Kind::kRenameKey;
  std::string key{};  // rename: from; add and remove: the key
  std::string to{};   // rename
  // Of an added key; the first that is given counts.
  std::optional<std::string> json_path{};
  std::optional<std::string> string_value{};
  std::optional<std::string> value{};  // bytes
  SecretName secret{};                 // addKeysFrom
  bool operator==(const SecretTransform&) const = default;
};

using SecretTransforms = std::vector<SecretTransform>;

constexpr size_t kMaxTransforms = 64;

// Reads a list (JSON null: an empty one). Every fault is reported below `path`; entries with faults are left out.
SecretTransforms parse_secret_transforms(const json::Value& list, const meta::Path& path, meta::FieldErrors& errors);

// The list as it is stored.
json::Value to_json(std::span<const SecretTransform> transforms);

// What class or plan say, and whether it was the broker who said so (then addKeysFrom is dropped: a broker must not
// choose which secrets are read).
struct TransformDefaults {
  SecretTransforms transforms{};
  bool suggested_by_broker = false;
};

// Class, then plan, then binding. An operation of a higher layer takes the place of the lower one of the same kind and
// subject (rename: from; add and remove: key; addKeysFrom: the secret); what is new comes after. An empty list of the
// binding opts out of all defaults; nullopt: the binding has none.
SecretTransforms merge_secret_transforms(const TransformDefaults& of_class, const TransformDefaults& of_plan,
                                         const std::optional<SecretTransforms>& of_binding,
                                         std::string_view binding_namespace);

// The same over the documents of class and plan and the list of the binding, as the API has them (JSON null: none): the
// complete list, or null when the defaults add nothing and the binding's own list stands as it is. Faults of what is
// stored were told when it was written.
json::Value complete_secret_transforms(const json::Value& service_class, const json::Value& plan,
                                       const json::Value& of_binding, std::string_view binding_namespace);

// The secrets that the transforms read, each once, with the namespace filled in.
std::vector<SecretName> referenced_secrets(std::span<const SecretTransform> transforms,
                                           std::string_view binding_namespace);

// One line each, for describe: "db-name -> database".
std::vector<std::string> describe_transforms(std::span<const SecretTransform> transforms);

// The entries of a secret, decoded; null when there is no such secret.
using SecretEntries = std::map<std::string, std::string>;
using SecretLookup = std::function<const SecretEntries*(const SecretName&)>;

// Applies the transforms in order. Credentials are an object, or JSON null for none. Renaming or removing a key that is
// not there does nothing; a target is overwritten. Texts of the result may hold any bytes.
Result<json::Object> apply_secret_transforms(const json::Value& credentials,
                                             std::span<const SecretTransform> transforms,
                                             std::string_view binding_namespace, const SecretLookup& secrets);

// `data` of a Secret: texts as their bytes, everything else as JSON text, both in base64. Keys that a Secret cannot
// have are an error that names them and how to rename them.
Result<json::Object> encode_secret_data(const json::Object& credentials);

}  // namespace chandler::resolve
