#include "reconcilers/claim/resource_parameters.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "json/reader.h"
#include "reconcilers/claim/reasons.h"
#include "resolve/choose_default.h"
#include "resolve/engine_version.h"

namespace chandler::reconcilers::claims {
namespace {

// Of the claim itself; the rest of its specification is for whoever serves it.
constexpr std::array<std::string_view, 5> kOwnFields = {"classReference", "classRef", "classSelector", "resourceRef",
                                                        "writeConnectionSecretToRef"};

bool is_own(std::string_view field) {
  return std::find(kOwnFields.begin(), kOwnFields.end(), field) != kOwnFields.end();
}

// A kind without a schema, or with an open one, takes everything.
bool is_open(const json::Value& schema) {
  return !schema.is_object() || true_at(schema, "x-kubernetes-preserve-unknown-fields") ||
         !member(schema, "properties").is_object();
}

const json::Value& property(const json::Value& schema, std::string_view name) {
  return member(member(schema, "properties"), name);
}

std::string_view key_of(const boost::json::key_value_pair& entry) { return {entry.key().data(), entry.key().size()}; }

}  // namespace

const json::Value& spec_schema(const client::Object& definition, std::string_view version) {
  static const json::Value none;
  if (!definition) return none;
  const auto* versions = json::array_at(spec_of(definition), "versions");
  if (versions == nullptr) return none;
  for (const auto& each : *versions) {
    if (text_at(each, "name") != version) continue;
    return member(each, {"schema", "openAPIV3Schema", "properties", "spec"});
  }
  return none;
}

Result<json::Value, std::string> typed_value(std::string_view given, const json::Value& schema) {
  const auto type = text_at(schema, "type");
  if (true_at(schema, "x-kubernetes-int-or-string")) {
    if (const auto number = parse_int64(given)) return json::Value(*number);
    return json::Value(text(given));
  }
  if (type.empty() || type == "string") return json::Value(text(given));
  if (type == "integer") {
    if (const auto number = parse_int64(given)) return json::Value(*number);
    return fail(std::string("a whole number"));
  }
  if (type == "boolean") {
    if (given == "true" || given == "false") return json::Value(given == "true");
    return fail(std::string("true or false"));
  }
  auto parsed = json::parse(given);
  if (parsed.ok()) {
    if (type == "number" && parsed->is_number()) return *std::move(parsed);
    if (type == "object" && parsed->is_object()) return *std::move(parsed);
    if (type == "array" && parsed->is_array()) return *std::move(parsed);
  }
  return fail(type == "number" ? std::string("a number") : fmt::format("an {} as JSON", type));
}

Found<json::Object> resource_spec(const ClaimView& claim, const ResourceClassView& used, const json::Value& schema,
                                  const json::Object& customary) {
  const bool open = is_open(schema);
  std::vector<std::string> faults;
  json::Object spec;
  for (const auto& entry : customary) {
    if (open || property(schema, key_of(entry)).is_object()) spec[entry.key()] = entry.value();
  }
  if (const auto* parameters = used.parameters().if_object()) {
    for (const auto& entry : *parameters) {
      const auto name = key_of(entry);
      if (!entry.value().is_string()) continue;
      if (customary.contains(name)) {
        faults.push_back(fmt::format("{} is not for a class to say", quoted(name)));
        continue;
      }
      const auto& wanted = property(schema, name);
      if (!open && !wanted.is_object()) {
        faults.push_back(fmt::format("{} is no field of the kind", quoted(name)));
        continue;
      }
      auto value = typed_value(json::view(entry.value().get_string()), wanted);
      if (value.ok()) {
        spec[name] = *std::move(value);
      } else {
        faults.push_back(fmt::format("{} must be {}", quoted(name), value.error()));
      }
    }
  }
  if (const auto* wishes = claim.spec().if_object()) {
    for (const auto& entry : *wishes) {
      const auto name = key_of(entry);
      if (is_own(name) || customary.contains(name)) continue;
      const auto& offered = member(used.parameters(), name);
      if (!offered.is_string()) {
        if (open || property(schema, name).is_object()) spec[name] = entry.value();
        continue;
      }
      const auto wish = text_at(claim.spec(), name);
      const auto offer = json::view(offered.get_string());
      const auto* typed = spec.if_contains(name);
      const bool agrees = name == "engineVersion" ? resolve::agree_on_version(wish, offer).has_value()
                                                  : (entry.value().is_string() && wish == offer) ||
                                                        (typed != nullptr && json::equal(*typed, entry.value()));
      if (!agrees) faults.push_back(fmt::format("{} of the claim differs from that of the class", quoted(name)));
    }
  }
  if (faults.empty()) return spec;
  std::sort(faults.begin(), faults.end());
  return Problem{reason::kInvalidParameters,
                 fmt::format("Class {}, parameters for {}: {}. Correct the class, or choose "
                             "another one.",
                             used.name().text(), used.provisioner(), resolve::list_names(faults))};
}

}  // namespace chandler::reconcilers::claims
