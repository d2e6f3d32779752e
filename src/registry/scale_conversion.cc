#include "registry/scale_conversion.h"

#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/selector.h"

namespace chandler::registry {
namespace {

constexpr std::string_view kScaleApi = "autoscaling/v1";

const json::Value* value_at(const json::Value& object, const std::vector<std::string>& path) {
  const json::Value* value = path.empty() ? nullptr : &object;
  for (const auto& name : path) {
    if (value != nullptr) value = json::find(*value, name);
  }
  return value;
}

std::optional<int64_t> number_at(const json::Value& object, const std::vector<std::string>& path) {
  const auto* value = value_at(object, path);
  const auto* number = value == nullptr ? nullptr : value->if_int64();
  return number == nullptr ? std::nullopt : std::optional<int64_t>(*number);
}

// Custom resources keep the selector as text, workloads in body form.
std::string selector_text(const json::Value& object, const std::vector<std::string>& path) {
  const auto* value = value_at(object, path);
  if (value == nullptr) return "";
  if (value->is_string()) return std::string(json::view(value->get_string()));
  if (!value->is_object()) return "";
  const auto selector = meta::LabelSelector::from_json(*value);
  return selector.ok() ? selector->str() : "";
}

}  // namespace

json::Value scale_of(const ScalePaths& paths, const json::Value& object, int64_t absent) {
  json::Object metadata;
  if (const auto* from = json::find(object, "metadata")) {
    for (const std::string_view key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
      if (const auto* value = json::find(*from, key)) metadata[key] = *value;
    }
  }
  json::Object status{{"replicas", number_at(object, paths.status_replicas).value_or(0)}};
  if (auto selector = selector_text(object, paths.label_selector); !selector.empty()) status["selector"] = selector;
  return json::Object{{"kind", kScaleKind},
                      {"apiVersion", kScaleApi},
                      {"metadata", std::move(metadata)},
                      {"spec", json::Object{{"replicas", number_at(object, paths.spec_replicas).value_or(absent)}}},
                      {"status", std::move(status)}};
}

bool has_replicas(const ScalePaths& paths, const json::Value& object) {
  return number_at(object, paths.spec_replicas).has_value();
}

Result<void> check_scale(const json::Value& scale, std::string_view name) {
  if (!scale.is_object()) return bad_request("the body of a scale request must be an autoscaling/v1 Scale");
  const auto kind = json::string_or(scale, "kind", kScaleKind);
  const auto version = json::string_or(scale, "apiVersion", kScaleApi);
  if (kind != kScaleKind || version != kScaleApi) {
    return bad_request(
        fmt::format("the body of a scale request must be an {} {}, not {} {}", kScaleApi, kScaleKind, version, kind));
  }
  const auto* replicas = json::find_path(scale, {"spec", "replicas"});
  if (replicas == nullptr || replicas->is_null()) return {};  // none wanted
  const auto* number = replicas->if_int64();
  if (number == nullptr || *number > std::numeric_limits<int32_t>::max() ||
      *number < std::numeric_limits<int32_t>::min()) {
    return bad_request("spec.replicas of a Scale must be a whole number of 32 bits");
  }
  if (*number >= 0) return {};
  meta::FieldErrors errors;
  errors.invalid(meta::Path("spec").member("replicas"), *replicas, "must be greater than or equal to 0");
  return invalid({std::string(kScaleGroup), std::string(kScaleKind), std::string(name), ""}, errors.take());
}

Result<void> put_scale(const ScalePaths& paths, const json::Value& scale, json::Value& object) {
  json::Value* place = &object;
  for (const auto& name : paths.spec_replicas) {
    if (place->is_null()) place->emplace_object();
    if (!place->is_object()) {
      return bad_request(fmt::format("the object has no room for replicas at .{}", join(paths.spec_replicas, ".")));
    }
    place = &place->get_object()[name];
  }
  const auto* replicas = json::find_path(scale, {"spec", "replicas"});
  *place = replicas == nullptr || replicas->is_null() ? json::Value(0) : *replicas;

  const auto* metadata = json::find(scale, "metadata");
  auto* ours = json::find(object, "metadata");
  if (metadata == nullptr || ours == nullptr || !ours->is_object()) return {};
  if (const auto given = json::string_at(*metadata, "resourceVersion"); given && !given->empty()) {
    ours->get_object()["resourceVersion"] = *given;
  }
  return {};
}

json::Value scale_config(const Kind& kind, const Version& version, const json::Value& scale) {
  json::Object metadata;
  if (const auto* given = json::find(scale, "metadata")) {
    for (const std::string_view key : {"name", "namespace", "uid", "resourceVersion"}) {
      if (const auto* value = json::find(*given, key)) metadata[key] = *value;
    }
  }
  json::Value out =
      json::Object{{"apiVersion", version.api_version}, {"kind", kind.kind}, {"metadata", std::move(metadata)}};
  const auto* replicas = json::find_path(scale, {"spec", "replicas"});
  if (replicas == nullptr || replicas->is_null()) return out;
  json::Value* place = &out;
  for (const auto& name : version.scale->spec_replicas) {
    if (!place->is_object()) place->emplace_object();
    place = &place->get_object()[name];
  }
  *place = *replicas;
  return out;
}

}  // namespace chandler::registry
