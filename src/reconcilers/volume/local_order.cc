#include "reconcilers/volume/local_order.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "json/reader.h"
#include "json/writer.h"
#include "meta/quantity.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/volume/volume_match.h"
#include "resolve/choose_default.h"

namespace chandler::reconcilers {
namespace {

constexpr std::array<std::string_view, 5> kParameters = {"zone", "zones", "pool", "form", "mode"};
constexpr std::string_view kDirectory = "directory";
constexpr std::string_view kImage = "image";
constexpr std::string_view kDefaultMode = "0770";
constexpr std::string_view kNotSupported = "NotSupported";

std::string parameter(const resolve::TunableClass& storage_class, std::string_view name) {
  const auto found = storage_class.parameters.find(name);
  return found == storage_class.parameters.end() ? "" : std::string(trim(found->second));
}

// The pools that a class may use: all, or the one it names.
std::vector<LocalPool> pools_for(const VolumeSettings& settings, const resolve::TunableClass& storage_class) {
  const auto wanted = parameter(storage_class, "pool");
  std::vector<LocalPool> pools;
  std::copy_if(settings.pools.begin(), settings.pools.end(), std::back_inserter(pools),
               [&](const LocalPool& pool) { return wanted.empty() || pool.name == wanted; });
  return pools;
}

bool is_mode(std::string_view text) {
  return (text.size() == 3 || (text.size() == 4 && text.front() == '0')) &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '7'; });
}

// What our provisioner cannot do, and therefore does not pretend to. "" when there is nothing.
std::string refusal_of_class(const VolumeSettings& settings, const client::Object& object,
                             const resolve::TunableClass& storage_class) {
  for (const auto& [name, value] : storage_class.parameters) {
    if (std::find(kParameters.begin(), kParameters.end(), name) == kParameters.end()) {
      return fmt::format(
          "StorageClass \"{}\" has the parameter {}, which {} does not know; it knows zone, zones, pool, "
          "form and mode",
          storage_class.name, quoted(name), kLocalProvisioner);
    }
  }
  if (pools_for(settings, storage_class).empty()) {
    std::vector<std::string> names;
    names.reserve(settings.pools.size());
    for (const auto& pool : settings.pools) names.push_back(pool.name);
    return fmt::format("StorageClass \"{}\" names the pool {}, which there is not; there are {}", storage_class.name,
                       quoted(parameter(storage_class, "pool")), resolve::list_names(names));
  }
  const auto form = parameter(storage_class, "form");
  if (!form.empty() && form != kDirectory && form != kImage) {
    return fmt::format("StorageClass \"{}\" has form {}; there are directory and image", storage_class.name,
                       quoted(form));
  }
  const auto mode = parameter(storage_class, "mode");
  if (!mode.empty() && !is_mode(mode)) {
    return fmt::format("StorageClass \"{}\" has mode {}; write it in octal, such as 0770", storage_class.name,
                       quoted(mode));
  }
  const auto* options = json::array_at(object.value(), "mountOptions");
  if (options != nullptr && !options->empty()) {
    return fmt::format("StorageClass \"{}\" has mountOptions, which {} does not honour: remove them",
                       storage_class.name, kLocalProvisioner);
  }
  return "";
}

std::string refusal_of_claim(const client::Object& claim) {
  const auto& spec = spec_of(claim);
  const auto* modes = json::array_at(spec, "accessModes");
  for (size_t i = 0; modes != nullptr && i < modes->size(); ++i) {
    const auto mode = (*modes)[i].is_string() ? json::view((*modes)[i].get_string()) : "";
    if (mode != "ReadWriteOnce" && mode != "ReadWriteOncePod") {
      return fmt::format("{} makes volumes for ReadWriteOnce and ReadWriteOncePod, not for {}", kLocalProvisioner,
                         mode);
    }
  }
  if (json::string_or(spec, "volumeMode", "Filesystem") != "Filesystem") {
    return fmt::format("{} makes volumes with a file system, not for volumeMode Block", kLocalProvisioner);
  }
  for (const auto field : {"dataSource", "dataSourceRef", "volumeAttributesClassName"}) {
    if (!member(spec, field).is_null()) return fmt::format("{} does not know spec.{}", kLocalProvisioner, field);
  }
  return "";
}

bool has_option(const resolve::TunableClass& storage_class, std::string_view key) {
  return std::any_of(storage_class.options.begin(), storage_class.options.end(),
                     [&](const auto& option) { return option.key == key; });
}

// Zone and form are always decided, also where the class does not let claims say something about them.
resolve::TunableClass completed(resolve::TunableClass storage_class) {
  if (!has_option(storage_class, resolve::kZoneLabel) && !has_option(storage_class, resolve::kBetaZoneLabel)) {
    storage_class.options.push_back({.key = std::string(resolve::kZoneLabel)});
  }
  if (!has_option(storage_class, kFormLabel)) storage_class.options.push_back({.key = std::string(kFormLabel)});
  const auto fixed = parameter(storage_class, "form");
  for (auto& option : storage_class.options) {
    const auto& allowed = option.allowed_values;
    if (option.key != kFormLabel || option.default_value || option.required) continue;
    const bool fits = !allowed || std::find(allowed->begin(), allowed->end(), kDirectory) != allowed->end();
    if (fits && (fixed.empty() || fixed == kDirectory)) option.default_value = std::string(kDirectory);
  }
  return storage_class;
}

std::map<std::string, std::string, std::less<>> zone_of(const client::Object& node) {
  std::map<std::string, std::string, std::less<>> labels;
  if (!node) return labels;
  const auto& all = member(node.value(), {"metadata", "labels"});
  for (const auto key : {resolve::kZoneLabel, resolve::kBetaZoneLabel}) {
    if (const auto value = json::string_at(all, key)) labels.emplace(key, *value);
  }
  return labels;
}

OrderDecision refuse(std::string_view reason, std::string message) {
  OrderDecision decision;
  decision.reason = reason;
  decision.message = std::move(message);
  return decision;
}

OrderDecision refuse(const std::vector<resolve::SelectorProblem>& problems) {
  return refuse(resolve::fault_name(problems.front().fault), resolve::problems_text(problems));
}

std::optional<uint64_t> bytes_of(const client::Object& claim) {
  constexpr meta::Quantity::Nanos kBillion = 1'000'000'000;
  constexpr meta::Quantity::Nanos kMost = INT64_MAX;
  const auto wanted = quantity_at(requested_storage(claim));
  if (!wanted || wanted->is_negative() || wanted->is_zero()) return std::nullopt;
  const auto bytes = (wanted->nanos() + kBillion - 1) / kBillion;
  return static_cast<uint64_t>(std::min(bytes, kMost));
}

}  // namespace

std::string LocalOrder::text() const {
  json::Object chosen;
  for (const auto& [key, value] : labels) chosen[key] = value;
  return json::write(json::Object{{"pool", pool},
                                  {"form", form},
                                  {"bytes", bytes},
                                  {"mode", mode},
                                  {"class", class_name},
                                  {"reclaimPolicy", reclaim_policy},
                                  {"labels", std::move(chosen)}});
}

std::optional<LocalOrder> LocalOrder::read(const std::string& text) {
  constexpr size_t kDepth = 4;
  const auto parsed = json::parse(text, {.max_depth = kDepth});
  if (!parsed.ok() || !parsed->is_object()) return std::nullopt;
  LocalOrder order;
  order.pool = text_at(*parsed, "pool");
  order.form = text_at(*parsed, "form");
  order.bytes = static_cast<uint64_t>(std::max<int64_t>(number_at(*parsed, "bytes"), 0));
  order.mode = text_at(*parsed, "mode");
  order.class_name = text_at(*parsed, "class");
  order.reclaim_policy = text_at(*parsed, "reclaimPolicy");
  if (const auto* labels = json::object_at(*parsed, "labels")) {
    for (const auto& entry : *labels) {
      if (entry.value().is_string()) order.labels.emplace(entry.key(), json::view(entry.value().get_string()));
    }
  }
  if (order.pool.empty() || order.bytes == 0 || !is_mode(order.mode)) return std::nullopt;
  return order;
}

resolve::ProvisionerProfile local_profile(const VolumeSettings& settings, const resolve::TunableClass& storage_class) {
  auto profile = resolve::known_profile(kLocalProvisioner);
  std::set<std::string> zones;
  for (const auto& pool : pools_for(settings, storage_class)) zones.insert(pool.zone);
  for (const auto key : {resolve::kZoneLabel, resolve::kBetaZoneLabel}) {
    profile.keys[std::string(key)].values.emplace(zones.begin(), zones.end());
  }
  if (!settings.has_images) {
    auto& forms = *profile.keys[std::string(kFormLabel)].values;
    std::erase(forms, kImage);
  }
  return profile;
}

OrderDecision decide_order(const VolumeSettings& settings, const client::Object& claim,
                           const client::Object& storage_class, const client::Object& node) {
  auto read = resolve::read_tunable_class(storage_class.value());
  if (!read.ok()) {
    return refuse("ClassConflict", fmt::format("StorageClass \"{}\": {}", storage_class.name(), read.error().message));
  }
  for (auto fault : {refusal_of_class(settings, storage_class, *read), refusal_of_claim(claim)}) {
    if (!fault.empty()) return refuse(kNotSupported, std::move(fault));
  }
  const auto bytes = bytes_of(claim);
  if (!bytes) return refuse(kNotSupported, "spec.resources.requests.storage says no size");

  // First what the claim may say at all, then what remains to be decided.
  const auto profile = local_profile(settings, *read);
  resolve::SelectorRequest request{.namespace_name = std::string(claim.ns()),
                                   .claim_name = std::string(claim.name()),
                                   .selector = json::find(spec_of(claim), "selector")};
  const auto asked = resolve::resolve_selector(*read, profile, request);
  if (!asked.ok()) return refuse(asked.problems);
  const auto whole = completed(*read);
  const auto anywhere = resolve::resolve_selector(whole, profile, request);
  if (!anywhere.ok()) return refuse(anywhere.problems);
  request.node_labels = zone_of(node);
  const auto resolution = resolve::resolve_selector(whole, profile, request);
  if (!resolution.ok()) {
    auto decision = refuse(resolution.problems);
    decision.reschedule = true;
    return decision;
  }

  auto values = resolution.values();
  const auto beta = values.find(std::string(resolve::kBetaZoneLabel));
  const auto named = values.find(std::string(resolve::kZoneLabel));
  if (beta != values.end() && named != values.end() && beta->second != named->second) {
    return refuse("Unsatisfiable",
                  fmt::format("{} ({}) and {} ({}) are the same property: ask for one of them", resolve::kZoneLabel,
                              named->second, resolve::kBetaZoneLabel, beta->second));
  }
  const auto zone = named != values.end() ? named->second : beta->second;
  values[std::string(resolve::kZoneLabel)] = zone;
  std::vector<std::string> pools;
  for (const auto& pool : pools_for(settings, *read)) {
    if (pool.zone == zone) pools.push_back(pool.name);
  }
  std::sort(pools.begin(), pools.end());

  OrderDecision decision;
  auto& order = decision.order.emplace();
  order.pool = resolve::spread(pools, claim.ns(), claim.name(), "pool");
  order.form = values[std::string(kFormLabel)];
  order.bytes = *bytes;
  const auto mode = parameter(*read, "mode");
  order.mode = mode.empty() ? std::string(kDefaultMode) : mode;
  order.class_name = storage_class.name();
  order.reclaim_policy = json::string_or(storage_class.value(), "reclaimPolicy", "Delete");
  order.labels = std::move(values);
  return decision;
}

std::string volume_name(const client::Object& claim) { return fmt::format("pvc-{}", claim.uid()); }

json::Value local_volume(const VolumeSettings& settings, const client::Object& claim, const LocalOrder& order,
                         const std::string& path) {
  json::Object labels;
  for (const auto& [key, value] : order.labels) labels[key] = value;
  json::Object annotations{{kProvisionedBy, text(kLocalProvisioner)}, {kPoolAnnotation, order.pool}};
  const json::Object here{
      {"matchExpressions",
       {{{"key", text(kHostnameLabel)}, {"operator", "In"}, {"values", json::Array{text(settings.node)}}}}}};
  json::Object spec{{"capacity", {{"storage", requested_storage(claim)}}},
                    {"accessModes", member(spec_of(claim), "accessModes")},
                    {"persistentVolumeReclaimPolicy", order.reclaim_policy},
                    {"storageClassName", order.class_name},
                    {"volumeMode", "Filesystem"},
                    {"local", {{"path", path}}},
                    {"claimRef",
                     {{"apiVersion", "v1"},
                      {"kind", "PersistentVolumeClaim"},
                      {"namespace", text(claim.ns())},
                      {"name", text(claim.name())},
                      {"uid", text(claim.uid())}}}};
  spec["nodeAffinity"] = json::Object{{"required", {{"nodeSelectorTerms", json::Array{here}}}}};
  return json::Object{{"apiVersion", "v1"},
                      {"kind", "PersistentVolume"},
                      {"metadata",
                       {{"name", volume_name(claim)},
                        {"labels", std::move(labels)},
                        {"annotations", std::move(annotations)},
                        {"finalizers", json::Array{text(kVolumeProtection), text(kLocalVolumeFinalizer)}}}},
                      {"spec", std::move(spec)}};
}

}  // namespace chandler::reconcilers
