// StorageClasses: what they let claims tune, and whether that agrees with the rest of the class.
#include <string>

#include <fmt/format.h>

#include "admission/fields.h"
#include "admission/kind_rules.h"
#include "base/text.h"
#include "meta/names.h"
#include "resolve/volume_selector.h"

namespace chandler::admission {
namespace {

constexpr size_t kMaxParameterBytes = 256 * 1024;
constexpr size_t kMaxTunablesBytes = 32 * 1024;  // annotations have to share 256 KiB

void check_parameters(const json::Value& storage_class, meta::FieldErrors& errors) {
  const auto* parameters = json::object_at(storage_class, "parameters");
  if (parameters == nullptr) return;
  const meta::Path path("parameters");
  size_t size = 0;
  for (const auto& entry : *parameters) {
    if (entry.key().empty()) errors.invalid(path, "", "a parameter has a name");
    size += entry.key().size() + (entry.value().is_string() ? entry.value().get_string().size() : 0);
  }
  if (size > kMaxParameterBytes) errors.too_long(path, kMaxParameterBytes);
}

// What the findings depend on is as it was: an update of something else is not held up.
bool is_tuned_as_before(const Context& context) {
  if (context.old == nullptr) return false;
  const auto options = [](const json::Value& storage_class) -> const json::Value& {
    return member(member(member(storage_class, "metadata"), "annotations"), resolve::kSelectorOptionsAnnotation);
  };
  for (const auto key : {"parameters", "allowedTopologies", "selectorOptions", "selectorPolicy"}) {
    if (!same(*context.object, *context.old, key)) return false;
  }
  return json::equal(options(*context.object), options(*context.old));
}

void report(const Context& context, const resolve::ClassFindings& findings, meta::FieldErrors& errors) {
  const auto policy = resolve::selector_policy(*context.object);
  if (policy == resolve::SelectorPolicy::kIgnore) return;
  for (const auto& problem : findings.problems) {
    if (policy == resolve::SelectorPolicy::kEnforce) {
      errors.invalid(meta::Path(problem.field), problem.key, problem.message);
    } else if (context.warnings != nullptr) {
      context.warnings->push_back(fmt::format("{}: {}", problem.field, problem.message));
    }
  }
  if (context.warnings == nullptr) return;
  context.warnings->insert(context.warnings->end(), findings.warnings.begin(), findings.warnings.end());
}

}  // namespace

// Clients that know nothing of options show annotations, so the options stand there too, for people.
void default_storage_class(Context& context) {
  const auto options = resolve::read_selector_options(*context.object);
  auto shown = options.ok() ? resolve::describe_selector_options(*options) : std::string();
  if (shown.size() > kMaxTunablesBytes) {
    shown.resize(shown.rfind('\n', kMaxTunablesBytes) + 1);
    shown += "    and more: see selectorOptions\n";
  }
  while (shown.ends_with('\n')) shown.pop_back();
  auto& metadata = object_in(*context.object, "metadata");
  if (shown.empty()) {
    if (!metadata.contains("annotations")) return;
    object_in(metadata, "annotations").erase(resolve::kTunablesAnnotation);
    drop_if_empty(metadata, "annotations");
  } else {
    object_in(metadata, "annotations")[resolve::kTunablesAnnotation] = "\n" + shown;
  }
}

void check_storage_class(const Context& context, meta::FieldErrors& errors) {
  const auto& storage_class = *context.object;
  const auto provisioner = json::string_or(storage_class, "provisioner");
  if (auto fault = meta::check_qualified_name(to_lower(provisioner)); !provisioner.empty() && !fault.empty()) {
    errors.invalid(meta::Path("provisioner"), provisioner, fault);
  }
  check_parameters(storage_class, errors);
  if (is_tuned_as_before(context)) return;
  const auto before = errors.size();
  resolve::check_selector_options(storage_class, errors);
  const auto read = resolve::read_tunable_class(storage_class);
  if (errors.size() > before || !read.ok()) return;
  report(context, resolve::check_tunable_class(*read, resolve::known_profile(provisioner)), errors);
  if (provisioner == resolve::kLocalProvisioner &&
      json::bool_at(storage_class, "allowVolumeExpansion").value_or(false) && context.warnings != nullptr) {
    context.warnings->push_back(
        fmt::format("allowVolumeExpansion: volumes of {} cannot grow; a claim that asks for more keeps what it has",
                    resolve::kLocalProvisioner));
  }
}

}  // namespace chandler::admission
