#include "brokers/database/offer.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"

namespace chandler::brokers {
namespace {

using json::Array;
using json::Object;
using json::Value;
using Type = ParameterRow::Type;

constexpr int64_t kMaxText = 255;

Value default_of(const ParameterRow& row) {
  return row.type == Type::kInteger ? Value(row.fallback) : Value(row.choices.front());
}

Value property(const ParameterRow& row) {
  Object rule{{"description", row.description}};
  switch (row.type) {
    case Type::kInteger:
      rule["type"] = "integer";
      rule["minimum"] = row.low;
      rule["maximum"] = row.high;
      rule["default"] = row.fallback;
      break;
    case Type::kChoice: {
      Array values;
      for (const auto& value : row.choices) values.emplace_back(value);
      rule["type"] = "string";
      rule["enum"] = std::move(values);
      rule["default"] = row.choices.front();
      break;
    }
    case Type::kText:
      rule["type"] = "string";
      rule["minLength"] = 1;
      rule["maxLength"] = kMaxText;
      break;
  }
  return rule;
}

Value schema(const std::vector<ParameterRow>& rows) {
  Object properties;
  Array required;
  for (const auto& row : rows) {
    properties[row.name] = property(row);
    if (row.type == Type::kText) required.emplace_back(row.name);
  }
  Object document{{"$schema", "http://json-schema.org/draft-04/schema#"},
                  {"type", "object"},
                  {"additionalProperties", false},
                  {"properties", std::move(properties)}};
  if (!required.empty()) document["required"] = std::move(required);
  return Object{{"parameters", std::move(document)}};
}

// A complete working request, without what only the user can know.
Object suggested(const std::vector<ParameterRow>& rows) {
  Object values;
  for (const auto& row : rows) {
    if (row.type != Type::kText) values[row.name] = default_of(row);
  }
  return values;
}

Value plan_entry(const ServiceOffer& offer, const PlanOffer& plan) {
  Array tags{"ServiceType=" + plan.service_type};
  if (plan.is_suggested) tags.emplace_back("SuggestedPlan=true");
  for (const auto& attribute : plan.attributes) tags.emplace_back(attribute);
  Array bullets;
  for (const auto& bullet : plan.bullets) bullets.emplace_back(bullet);
  Object metadata{{"displayName", plan.display_name}, {"bullets", std::move(bullets)}, {"tags", std::move(tags)}};
  if (Object values = suggested(plan.parameters); !values.empty()) {
    metadata["defaultProvisionParameters"] = std::move(values);
  }
  return Object{{"id", plan.id},
                {"name", plan.name},
                {"description", plan.description},
                {"free", true},
                {"bindable", true},
                {"binding_rotatable", true},
                {"plan_updateable", false},
                {"maximum_polling_duration", 600},
                {"maintenance_info", Object{{"version", kOfferVersion}, {"description", offer.server_version}}},
                {"metadata", std::move(metadata)},
                {"schemas", Object{{"service_instance",
                                    Object{{"create", schema(plan.parameters)}, {"update", schema(plan.parameters)}}},
                                   {"service_binding", Object{{"create", schema(offer.binding)}}}}}};
}

Error wrong(const ParameterRow& row) {
  switch (row.type) {
    case Type::kInteger:
      return bad_request(
          fmt::format("parameters.{} must be a whole number from {} to {} in this plan", row.name, row.low, row.high));
    case Type::kChoice:
      return bad_request(fmt::format("parameters.{} must be one of {}", row.name, join(row.choices, ", ")));
    case Type::kText:
      break;
  }
  return bad_request(
      fmt::format("parameters.{} is needed, a text of 1 to {} characters: {}", row.name, kMaxText, row.description));
}

bool is_former(const ParameterRow& row, std::string_view given) {
  return std::find(row.former_choices.begin(), row.former_choices.end(), given) != row.former_choices.end();
}

Result<Value> read_one(const ParameterRow& row, const Value& parameters) {
  const auto* value = json::find(parameters, row.name);
  const bool is_given = value != nullptr && !value->is_null();
  if (!is_given && row.type != Type::kText) return default_of(row);
  if (row.type == Type::kInteger) {
    const auto given = json::int_at(parameters, row.name);
    if (!given || *given < row.low || *given > row.high) return wrong(row);
    return Value(*given);
  }
  const auto given = json::string_at(parameters, row.name);
  if (!given || given->empty() || given->size() > kMaxText) return wrong(row);
  if (row.type == Type::kChoice && is_former(row, *given)) return default_of(row);
  if (row.type == Type::kChoice && std::find(row.choices.begin(), row.choices.end(), *given) == row.choices.end()) {
    return wrong(row);
  }
  return Value(*given);
}

}  // namespace

const PlanOffer* ServiceOffer::plan(std::string_view plan_id) const {
  for (const auto& row : plans) {
    if (row.id == plan_id) return &row;
  }
  return nullptr;
}

ParameterRow user_parameter(std::string_view admin_may) {
  ParameterRow row{"user", fmt::format("What the login may do: {}, change data, or only read", admin_may),
                   Type::kChoice};
  row.choices = {"admin", "writer", "reader"};
  return row;
}

Value catalog_entry(const ServiceOffer& offer) {
  Array plan_entries;
  for (const auto& plan : offer.plans) plan_entries.push_back(plan_entry(offer, plan));
  Array tags{"ServiceType=" + offer.name};
  for (const auto& tag : offer.tags) tags.emplace_back(tag);
  Object metadata{{"displayName", offer.display_name},
                  {"longDescription", offer.long_description},
                  {"providerDisplayName", "Chandler"},
                  {"defaultBindingParameters", suggested(offer.binding)}};
  if (!offer.secret_transform.is_null()) metadata["defaultSecretTransform"] = offer.secret_transform;
  return Object{{"id", offer.id},
                {"name", offer.name},
                {"description", offer.description},
                {"bindable", true},
                {"instances_retrievable", true},
                {"bindings_retrievable", true},
                {"plan_updateable", false},
                {"allow_context_updates", true},
                {"tags", std::move(tags)},
                {"metadata", std::move(metadata)},
                {"plans", std::move(plan_entries)}};
}

Result<Value> read_parameters(const std::vector<ParameterRow>& rows, const Value& parameters) {
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const auto& row : rows) names.push_back(row.name);
  if (const auto* given = parameters.if_object()) {
    for (const auto& member : *given) {
      const std::string_view name(member.key().data(), member.key().size());
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      return bad_request(fmt::format("parameters.{} is not known; there {} {}", name.substr(0, 64),
                                     names.size() == 1 ? "is" : "are", names.empty() ? "none" : join(names, ", ")));
    }
  }
  Object settings;
  for (const auto& row : rows) {
    CH_TRY_LET(value, read_one(row, parameters));
    settings[row.name] = std::move(value);
  }
  return Value(std::move(settings));
}

Result<void> refuse_former_choices(const std::vector<ParameterRow>& rows, const Value& parameters) {
  for (const auto& row : rows) {
    const auto given = json::string_at(parameters, row.name);
    if (given && is_former(row, *given)) return wrong(row);
  }
  return {};
}

int64_t number(const Value& settings, std::string_view name) {
  const auto found = json::int_at(settings, name);
  CH_CHECK(found.has_value());
  return *found;
}

std::string choice(const Value& settings, std::string_view name) {
  const auto found = json::string_at(settings, name);
  CH_CHECK(found.has_value());
  return std::string(*found);
}

}  // namespace chandler::brokers
