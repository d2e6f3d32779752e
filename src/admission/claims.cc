#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "admission/fields.h"
#include "admission/kind_rules.h"
#include "base/text.h"
#include "meta/names.h"
#include "meta/selector.h"
#include "resolve/claim_kinds.h"
#include "resolve/provisioner.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kClaimFinalizer = "finalizer.resourceclaim.crossplane.io";
constexpr std::string_view kInUseFinalizer = "core.crossplane.io/in-use";
constexpr std::string_view kReference = "classReference";
constexpr std::string_view kShortReference = "classRef";
constexpr std::string_view kSelector = "classSelector";
constexpr size_t kMaxParameterBytes = size_t{256} * 1024;

// Once the claim has its resource, these have had their effect.
constexpr std::array<std::string_view, 5> kSettled = {kReference, kSelector, "engineVersion", "resourceRef",
                                                      "writeConnectionSecretToRef"};

// On create only, so that whoever finishes a deletion can take it away.
void add_finalizer(Context& context, std::string_view finalizer) {
  if (context.operation != registry::Operation::kCreate) return;
  auto& finalizers = object_in(*context.object, "metadata")["finalizers"];
  if (!finalizers.is_array()) finalizers.emplace_array();
  auto& names = finalizers.get_array();
  if (std::find(names.begin(), names.end(), text(finalizer)) == names.end()) names.push_back(text(finalizer));
}

// One that the user only names may be missing or not be offered; then he must be able to name another one.
bool has_resource(const json::Value* claim) {
  return claim != nullptr && filled(member(*claim, "spec"), "resourceRef") &&
         filled(member(*claim, "status"), "resource");
}

void check_reference(const json::Value& reference, const meta::Path& path, meta::FieldErrors& errors) {
  if (!reference.is_object()) return;
  const auto name = json::string_or(reference, "name");
  if (auto fault = meta::check_dns1123_subdomain(name); !name.empty() && !fault.empty())
    errors.invalid(path.member("name"), name, fault);
  const auto ns = json::string_or(reference, "namespace");
  if (auto fault = meta::check_dns1123_label(ns); !ns.empty() && !fault.empty())
    errors.invalid(path.member("namespace"), ns, fault);
  const auto kind = json::string_or(reference, "kind");
  if (!kind.empty() && kind != "ResourceClass")
    errors.not_supported(path.member("kind"), member(reference, "kind"), {"ResourceClass"});
}

void check_class_selector(const json::Value& selector, const meta::Path& path, meta::FieldErrors& errors) {
  if (!selector.is_object()) return;
  auto parsed = meta::LabelSelector::from_json(selector, path.str());
  if (parsed.ok()) return;
  for (const auto& cause : parsed.error().causes) errors.add(cause);
}

// Two spellings of one field; the first is stored. One that differs is left for the check.
void settle_spelling(json::Object& spec) {
  if (const auto* given = spec.if_contains(kShortReference); filled(given)) {
    const json::Value reference = *given;
    set_default(spec, kReference, reference);
    if (spec[kReference] == reference) spec.erase(kShortReference);
  } else {
    spec.erase(kShortReference);
  }
}

void check_spelling(const json::Value& spec, meta::FieldErrors& errors) {
  if (!filled(spec, kShortReference)) return;
  errors.forbidden(meta::Path("spec").member(kShortReference),
                   "is another spelling of classReference and differs from it; give one");
}

// What the controller filled in stays when a client leaves it out.
void keep_decision(json::Object& spec, const json::Value& before) {
  for (const auto field : {kReference, std::string_view("resourceRef")}) {
    if (!filled(spec.if_contains(field))) copy_member(spec, before, field);
  }
}

void check_settled(const Context& context, meta::FieldErrors& errors) {
  if (!has_resource(context.old)) return;
  const auto& now = member(*context.object, "spec");
  const auto& before = member(*context.old, "spec");
  for (const auto field : kSettled) {
    if (same(now, before, field)) continue;
    errors.forbidden(meta::Path("spec").member(field),
                     "the claim has its resource, which a change here would not reach; create another claim");
  }
}

// Claim kinds that are known: those of the program, and of definitions that are labelled so.
std::vector<std::string> known_claim_kinds(const Lookup* lookup) {
  auto out = resolve::built_in_claim_kinds();
  if (lookup == nullptr) return out;
  for (const auto& document : lookup->list("apiextensions.k8s.io", "customresourcedefinitions")) {
    if (document->label(resolve::kClaimLabel) != "true") continue;
    const auto definition = document->parse();
    const auto& spec = member(definition, "spec");
    out.push_back(
        resolve::claim_kind_name(json::string_or(member(spec, "names"), "kind"), json::string_or(spec, "group")));
  }
  return out;
}

void warn_of_unknown_kinds(const Context& context) {
  if (context.warnings == nullptr) return;
  const auto known = known_claim_kinds(context.lookup);
  const std::set<std::string_view> names(known.begin(), known.end());
  std::map<std::string_view, std::string_view> by_kind;  // the first of several groups
  for (const auto& name : known) by_kind.emplace(resolve::kind_in(name), name);
  for (const auto& entry : resolve::defaults_by_list(*context.object)) {
    if (names.contains(entry) || (resolve::group_in(entry).empty() && by_kind.contains(entry))) continue;
    const auto near = by_kind.find(resolve::kind_in(entry));
    context.warnings->push_back(fmt::format("defaultForClaimKinds: {} is not a kind of claim here{}", quoted(entry),
                                            near == by_kind.end() ? "; it counts when one of that name comes"
                                                                  : fmt::format("; did you mean {}?", near->second)));
  }
}

std::set<std::string> defaults_of(const json::Value& resource_class) {
  auto out = resolve::defaults_by_list(resource_class);
  out.merge(resolve::defaults_by_label(resource_class));
  return out;
}

// Those of `kinds` that the labels of a class make it a default for. A class has few labels, and may have many kinds.
std::set<std::string> shared_defaults(const registry::Document& resource_class, const std::set<std::string>& kinds) {
  std::set<std::string> out;
  for (size_t i = 0; i < resource_class.label_count(); ++i) {
    const auto [label, value] = resource_class.label_at(i);
    const auto kind = resolve::kind_of_default_label(label);
    if (value == "true" && kinds.contains(std::string(kind))) out.emplace(kind);
  }
  return out;
}

// A second default beside another one usually means that claims are refused from now on.
void warn_of_other_defaults(const Context& context) {
  if (context.warnings == nullptr || context.lookup == nullptr) return;
  auto kinds = defaults_of(*context.object);
  if (context.old != nullptr) {
    for (const auto& kind : defaults_of(*context.old)) kinds.erase(kind);  // told when it came
  }
  if (kinds.empty()) return;
  const auto name = name_of(*context.object);
  const auto ns = namespace_of(*context.object);
  for (const auto& other : context.lookup->list_in("core.crossplane.io", "resourceclasses", ns)) {
    if (other->name() == name || other->deleting()) continue;
    for (const auto& kind : shared_defaults(*other, kinds)) {
      context.warnings->push_back(
          fmt::format("class {} of this namespace is a default for {} too: claims that name no class are refused while "
                      "there are two, "
                      "unless --claim-default-policy says which one counts",
                      quoted(other->name()), kind));
    }
  }
}

void check_parameters_size(const json::Value& resource_class, meta::FieldErrors& errors) {
  const auto* parameters = json::object_at(resource_class, "parameters");
  if (parameters == nullptr) return;
  size_t size = 0;
  for (const auto& entry : *parameters) {
    if (entry.key().empty()) errors.invalid(meta::Path("parameters"), "", "a parameter has a name");
    size += entry.key().size() + (entry.value().is_string() ? entry.value().get_string().size() : 0);
  }
  if (size > kMaxParameterBytes) errors.too_long(meta::Path("parameters"), kMaxParameterBytes);
}

void check_defaults(const json::Value& resource_class, meta::FieldErrors& errors) {
  const auto& labels = member(member(resource_class, "metadata"), "labels");
  each(resource_class, "defaultForClaimKinds", meta::Path(), [&](const json::Value& entry, const meta::Path& path) {
    if (!entry.is_string()) return;
    const auto kind = to_lower(json::view(entry.get_string()));
    if (auto fault = meta::check_dns1123_subdomain(kind); !fault.empty()) return errors.invalid(path, entry, fault);
    const auto label = resolve::default_label(kind);
    if (const auto value = json::string_at(labels, label); value && *value != "true") {
      errors.invalid(meta::Path("metadata.labels").key(label), *value,
                     "defaultForClaimKinds lists the kind; take it from the list, or set the label to \"true\"");
    }
  });
}

}  // namespace

void default_resource_claim(Context& context) {
  add_finalizer(context, kClaimFinalizer);
  auto& spec = object_in(*context.object, "spec");
  settle_spelling(spec);
  if (has_resource(context.old)) keep_decision(spec, member(*context.old, "spec"));
}

void check_resource_claim(const Context& context, meta::FieldErrors& errors) {
  const auto& spec = member(*context.object, "spec");
  const meta::Path path("spec");
  check_spelling(spec, errors);
  check_reference(member(spec, kReference), path.member(kReference), errors);
  check_class_selector(member(spec, kSelector), path.member(kSelector), errors);
  check_settled(context, errors);
}

// The finalizer is the controller's to set here, because a definition may lack what a claim needs, or lose its label.
void default_labelled_claim(Context& context) {
  if (!has_resource(context.old)) return;
  auto& spec = object_in(*context.object, "spec");
  settle_spelling(spec);
  keep_decision(spec, member(*context.old, "spec"));
}

// Objects may be older than the label: what is wrong with them already does not get in the way of other changes.
void check_labelled_claim(const Context& context, meta::FieldErrors& errors) {
  const auto& spec = member(*context.object, "spec");
  const meta::Path path("spec");
  const auto is_new = [&](std::string_view field) {
    return context.old == nullptr || !same(spec, member(*context.old, "spec"), field);
  };
  if (is_new(kReference)) check_reference(member(spec, kReference), path.member(kReference), errors);
  if (is_new(kSelector)) check_class_selector(member(spec, kSelector), path.member(kSelector), errors);
  if (has_resource(context.old)) check_spelling(spec, errors);
  check_settled(context, errors);
}

void default_resource_class(Context& context) {
  add_finalizer(context, kInUseFinalizer);
  if (!context.object->is_object()) return;
  const auto before = context.old == nullptr ? std::set<std::string>() : resolve::defaults_by_list(*context.old);
  resolve::label_defaults(context.object->get_object(), before);
}

void check_resource_class(const Context& context, meta::FieldErrors& errors) {
  const auto& resource_class = *context.object;
  const auto provisioner = json::string_or(resource_class, "provisioner");
  if (!provisioner.empty()) {
    const auto parsed = resolve::parse_provisioner(provisioner);
    const auto fault = parsed ? resolve::unfit_provisioner(*parsed)
                              : "must be kind.group/version, such as serviceinstance.servicecatalog.k8s.io/v1beta1";
    if (!fault.empty()) errors.invalid(meta::Path("provisioner"), provisioner, fault);
  }
  check_parameters_size(resource_class, errors);
  check_defaults(resource_class, errors);
  const auto& annotations = member(member(resource_class, "metadata"), "annotations");
  if (const auto priority = json::string_at(annotations, resolve::kPriorityAnnotation);
      priority && !parse_int64(*priority)) {
    errors.invalid(meta::Path("metadata.annotations").key(resolve::kPriorityAnnotation), *priority,
                   "must be a whole number");
  }
  warn_of_unknown_kinds(context);
  warn_of_other_defaults(context);
}

void default_provider(Context& context) { add_finalizer(context, kInUseFinalizer); }

}  // namespace chandler::admission
