#include "osb/catalog_suggestions.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "json/writer.h"

namespace chandler::osb {
namespace {

constexpr size_t kMaxDefaults = 64 * 1024;
constexpr size_t kMaxOperations = 100;
constexpr size_t kMaxLabel = 63;
constexpr size_t kMaxTag = 255;
constexpr size_t kMaxTags = 200;

bool is_alphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// A value as labels may have, not empty.
bool is_label_like(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLabel && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

void read_tag(CatalogEntry& entry, std::string_view tag, Suggestions& into) {
  const size_t equals = tag.find('=');
  if (equals == std::string_view::npos) return;
  const std::string_view key = tag.substr(0, equals);
  const std::string_view value = tag.substr(equals + 1);
  if (key == "ServiceType") {
    if (!is_label_like(value)) {
      entry.note(
          "the tag ServiceType must be 1 to 63 letters, digits, '-', '_' or '.', with a letter or digit at both "
          "ends; it is ignored");
    } else if (!into.service_type.empty() && into.service_type != value) {
      entry.note(fmt::format("there are several tags ServiceType; {} is taken", quoted(into.service_type)));
    } else {
      into.service_type = value;
    }
  } else if (key == "SuggestedPlan") {
    if (value == "true") {
      into.suggested = true;
    } else if (value != "false") {
      entry.note("the tag SuggestedPlan must be true or false; it is ignored");
    }
  } else if (is_label_like(key)) {
    into.attributes.emplace(key, value);  // the first of a name
  }                                       // else it is a tag with an '=' somewhere, which is nothing special
}

json::Value read_transform(CatalogEntry& entry, const json::Value* found) {
  if (found == nullptr || found->is_null()) return nullptr;
  if (!found->is_array() || found->get_array().size() > kMaxOperations || json::write(*found).size() > kMaxDefaults) {
    entry.note("metadata.defaultSecretTransform must be a list of at most 100 operations and 64 KiB; it is ignored");
    return nullptr;
  }
  json::Array kept;
  for (const json::Value& operation : found->get_array()) {
    if (!operation.is_object()) {
      entry.note("metadata.defaultSecretTransform must be a list of objects; it is ignored");
      return nullptr;
    }
    // A broker must not choose which secrets of a user are read.
    if (json::find(operation, "addKeysFrom") != nullptr) {
      entry.note("metadata.defaultSecretTransform must not use addKeysFrom; that operation is ignored");
    } else {
      kept.push_back(operation);
    }
  }
  if (kept.empty()) return nullptr;
  return kept;
}

}  // namespace

Suggestions read_suggestions(CatalogEntry& entry, const std::vector<std::string>& tags) {
  Suggestions suggestions;
  for (const std::string& tag : tags) read_tag(entry, tag, suggestions);
  const auto metadata = [&](std::string_view key) { return json::find_path(entry.value(), {"metadata", key}); };
  suggestions.default_provision_parameters =
      entry.object(metadata("defaultProvisionParameters"), "metadata.defaultProvisionParameters", kMaxDefaults);
  suggestions.default_binding_parameters =
      entry.object(metadata("defaultBindingParameters"), "metadata.defaultBindingParameters", kMaxDefaults);
  suggestions.default_secret_transform = read_transform(entry, metadata("defaultSecretTransform"));
  return suggestions;
}

std::vector<std::string> read_plan_tags(CatalogEntry& entry) {
  std::vector<std::string> tags = entry.texts("tags");
  const json::Value* metadata = json::find(entry.value(), "metadata");
  const json::Array* more = metadata == nullptr ? nullptr : json::array_at(*metadata, "tags");
  if (more == nullptr) return tags;  // metadata is free: something else called tags is no fault
  for (const json::Value& item : *more) {
    if (!item.is_string() || item.get_string().size() > kMaxTag || tags.size() >= kMaxTags) continue;
    auto text = entry.text().label(json::view(item.get_string()));
    if (std::find(tags.begin(), tags.end(), text) == tags.end()) tags.push_back(std::move(text));
  }
  return tags;
}

void inherit_suggestions(CatalogEntry& entry, Service& service, size_t listed, size_t& bytes_left) {
  if (service.suggested && listed != 1) {
    entry.note("the tag SuggestedPlan on a service needs a service with exactly one plan; it is ignored");
    service.suggested = false;
  }
  for (Plan& plan : service.plans) plan.suggested = plan.suggested || service.suggested;

  constexpr size_t kPerAttribute = 100;  // in a map, besides its texts
  size_t bytes = 0;
  for (const auto& [key, value] : service.attributes) bytes += kPerAttribute + key.size() + value.size();
  bytes *= service.plans.size();
  if (bytes > bytes_left) {
    entry.note(
        fmt::format("its plans do not inherit its attributes: for all plans they have {} bytes together, and the plans "
                    "of a catalog may inherit {} in total",
                    bytes, kMaxInherited));
    return;
  }
  bytes_left -= bytes;
  for (Plan& plan : service.plans) {
    plan.attributes.insert(service.attributes.begin(), service.attributes.end());  // keeps the plan's own
  }
}

}  // namespace chandler::osb
