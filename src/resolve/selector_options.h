// What a StorageClass says about the labels that its claims may select: reading them off the class, checking them, and
// showing them to people. The field `selectorOptions` and the annotation with the same content as JSON mean the same;
// the annotation is for clusters that drop the field. Pure, thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "meta/field_error.h"

namespace chandler::resolve {

// The options as JSON, for where the field is unknown.
inline constexpr std::string_view kSelectorOptionsAnnotation = "storage.chandler.io/selector-options";
// The options as text for people, which the server keeps in step. `kubectl describe` prints annotations in order of
// their keys, so this one is made to come last.
inline constexpr std::string_view kTunablesAnnotation = "tunables.chandler.io/selector-options";

struct SelectorOption {
  std::string key;
  std::optional<std::string> default_value{};  // "" is a value
  bool required = false;
  std::optional<std::vector<std::string>> allowed_values{};  // in the admin's order; nullopt: any
  std::string description{};

  bool operator==(const SelectorOption&) const = default;
};

enum class SelectorPolicy { kWarn, kEnforce, kIgnore };
enum class SelectorChoice { kSpread, kFirst };

// The policy of a class; Warn when it says nothing.
SelectorPolicy selector_policy(const json::Value& storage_class);
SelectorChoice selector_choice(const json::Value& storage_class);

// From the field, else from the annotation; empty when neither is there. An annotation that cannot be read is an error.
Result<std::vector<SelectorOption>> read_selector_options(const json::Value& storage_class);

// The same with every fault reported: keys and values that no label can have, duplicates, a default that is not
// allowed or contradicts `required`, a field and an annotation that differ.
void check_selector_options(const json::Value& storage_class, meta::FieldErrors& errors);

// One block per option, indented by four blanks and followed by an empty line:
//     failure-domain.beta.kubernetes.io/zone
//       - requested AWS availability zone
//       - values:
//         - us-east-1a
// "" when there are no options. Control characters are made visible.
std::string describe_selector_options(std::span<const SelectorOption> options);

}  // namespace chandler::resolve
