#include "svcat/usagekinds/sample_workload.h"

#include <algorithm>

#include <fmt/format.h>

#include "json/yaml.h"
#include "svcat/catalog/fields.h"
#include "svcat/usagekinds/openapi_document.h"

namespace chandler::svcat {
namespace {

constexpr int kMaxDepth = 24;

constexpr std::string_view kPodTemplate =
    "{metadata: {labels: {app: sample}}, spec: {restartPolicy: %, containers: [{name: sample, image: sample}]}}";

std::string pod_template(std::string_view restart) {
  std::string text(kPodTemplate);
  return text.replace(text.find('%'), 1, restart);
}

// What the rules of these kinds demand beyond their schemas.
std::string known_sample(const DiscoveredKind& kind) {
  const auto always = pod_template("Always"), never = pod_template("Never");
  constexpr std::string_view kSelector = "selector: {matchLabels: {app: sample}}";
  if (kind.resource.group == "apps" &&
      (kind.name == "Deployment" || kind.name == "ReplicaSet" || kind.name == "DaemonSet")) {
    return fmt::format("spec: {{{}, template: {}}}", kSelector, always);
  }
  if (kind.resource.group == "apps" && kind.name == "StatefulSet") {
    return fmt::format("spec: {{serviceName: sample, {}, template: {}}}", kSelector, always);
  }
  if (kind.resource.group == "batch" && kind.name == "Job") return fmt::format("spec: {{template: {}}}", never);
  if (kind.resource.group == "batch" && kind.name == "CronJob") {
    return fmt::format("spec: {{schedule: '0 0 * * *', jobTemplate: {{spec: {{template: {}}}}}}}", never);
  }
  return "";
}

json::Value sample_text(const json::Value& schema) {
  const auto format = text_at(schema, {"format"});
  if (format == "date-time") return "2020-01-01T00:00:00Z";
  if (format == "uri") return "http://sample.example";
  std::string text = "sample";
  const auto shortest = number_at(schema, {"minLength"});
  const auto* longest = json::find(schema, "maxLength");
  while (text.size() < static_cast<size_t>(std::clamp<int64_t>(shortest, 0, 256))) text += 'x';
  if (longest != nullptr && longest->is_int64() && longest->get_int64() >= 0) {
    text.resize(std::min(text.size(), static_cast<size_t>(longest->get_int64())));
  }
  return json::Value(text);
}

json::Value sample_of(const json::Value& document, const json::Value& given, int depth) {
  const auto& schema = dereferenced(document, given);
  if (depth > kMaxDepth || !schema.is_object()) return json::Object();
  if (const auto* initial = json::find(schema, "default")) return *initial;
  if (const auto* values = array_at(schema, {"enum"})) return values->get_array().front();
  const auto type = text_at(schema, {"type"});
  if (true_at(schema, {"x-kubernetes-int-or-string"})) return 1;
  if (type == "string") return sample_text(schema);
  if (type == "boolean") return false;
  if (type == "integer" || type == "number") {
    const auto* least = json::find(schema, "minimum");
    return least == nullptr ? json::Value(1) : *least;
  }
  if (type == "array") {
    json::Array items;
    const auto* item = json::find(schema, "items");
    if (number_at(schema, {"minItems"}) > 0 && item != nullptr) items.push_back(sample_of(document, *item, depth + 1));
    return items;
  }
  json::Object out;
  if (const auto* required = array_at(schema, {"required"})) {
    for (const auto& name : required->get_array()) {
      if (!name.is_string()) continue;
      const auto* field = json::find_path(schema, {"properties", json::view(name.get_string())});
      out[json::view(name.get_string())] = field == nullptr ? json::Object() : sample_of(document, *field, depth + 1);
    }
  }
  return out;
}

}  // namespace

json::Value sample_workload(const DiscoveredKind& kind, const json::Value& document) {
  json::Value sample = json::Object();
  if (const auto known = known_sample(kind); !known.empty()) {
    auto parsed = json::parse_yaml(known);
    if (parsed.ok()) sample = std::move(parsed).value();
  } else if (const auto* schema = schema_of_kind(document, kind)) {
    sample = sample_of(document, *schema, 0);
  }
  if (!sample.is_object()) sample = json::Object();
  sample.get_object()["metadata"] = json::Object();
  return sample;
}

}  // namespace chandler::svcat
