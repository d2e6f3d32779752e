#include "resolve/secret_transform.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "json/json_path.h"
#include "meta/names.h"
#include "resolve/provided_record.h"

namespace chandler::resolve {
namespace {

using Kind = SecretTransform::Kind;

class TransformReader {
 public:
  TransformReader(const meta::Path& path, meta::FieldErrors& errors) : path_(path), errors_(errors) {}

  std::optional<SecretTransform> read(const json::Value& entry) {
    const size_t before = errors_.size();
    SecretTransform transform;
    const auto* object = entry.if_object();
    if (object == nullptr || object->size() != 1) {
      fault(path_, "each entry must be an object with exactly one of renameKey, addKey, addKeysFrom and removeKey");
      return std::nullopt;
    }
    const std::string_view name = object->begin()->key();
    const json::Value& body = object->begin()->value();
    const meta::Path here = path_.member(name);
    if (name == "renameKey") {
      transform.kind = Kind::kRenameKey;
      transform.key = needed(body, "from", here);
      transform.to = secret_key(body, "to", here);
    } else if (name == "addKey") {
      transform.kind = Kind::kAddKey;
      transform.key = secret_key(body, "key", here);
      read_value(transform, body, here);
    } else if (name == "addKeysFrom") {
      transform.kind = Kind::kAddKeysFrom;
      read_secret(transform.secret, body, here.member("secretRef"));
    } else if (name == "removeKey") {
      transform.kind = Kind::kRemoveKey;
      transform.key = needed(body, "key", here);
    } else {
      fault(here, "is not a transform; use renameKey, addKey, addKeysFrom or removeKey");
    }
    if (errors_.size() > before) return std::nullopt;
    return transform;
  }

 private:
  // Without the value: it may be secret.
  void fault(const meta::Path& path, std::string_view detail) {
    errors_.add({"FieldValueInvalid", fmt::format("Invalid value: {}", detail), path.str()});
  }

  std::optional<std::string> text(const json::Value& body, std::string_view name, const meta::Path& path) {
    const json::Value* value = json::find(body, name);
    if (value == nullptr || value->is_null()) return std::nullopt;
    if (value->is_string()) return std::string(json::view(value->get_string()));
    fault(path.member(name), "must be a string");
    return std::nullopt;
  }

  std::string needed(const json::Value& body, std::string_view name, const meta::Path& path) {
    const size_t before = errors_.size();
    auto value = text(body, name, path);
    if (errors_.size() == before && value.value_or("").empty()) errors_.required(path.member(name));
    return value.value_or("");
  }

  std::string secret_key(const json::Value& body, std::string_view name, const meta::Path& path) {
    std::string key = needed(body, name, path);
    if (const std::string why = meta::check_config_key(key); !key.empty() && !why.empty()) {
      errors_.invalid(path.member(name), key, why);
    }
    return key;
  }

  void read_value(SecretTransform& transform, const json::Value& body, const meta::Path& path) {
    const size_t before = errors_.size();
    transform.json_path = text(body, "jsonPathExpression", path);
    transform.string_value = text(body, "stringValue", path);
    const auto encoded = text(body, "value", path);
    if (encoded) {
      transform.value = base64_decode(*encoded);
      if (!transform.value) fault(path.member("value"), "must be base64; use stringValue for plain text");
    }
    if (transform.json_path) {
      const auto parsed = json::JsonPathTemplate::parse(*transform.json_path);
      if (!parsed.ok()) {
        errors_.invalid(path.member("jsonPathExpression"), *transform.json_path, parsed.error().message);
      }
    }
    if (errors_.size() == before && !transform.json_path && !transform.string_value && !transform.value) {
      errors_.required(path, "give the value as jsonPathExpression, stringValue or value");
    }
  }

  void read_secret(SecretName& secret, const json::Value& body, const meta::Path& path) {
    const json::Value* ref = json::find(body, "secretRef");
    if (ref == nullptr || !ref->is_object()) return errors_.required(path);
    secret.name = needed(*ref, "name", path);
    secret.namespace_name = text(*ref, "namespace", path).value_or("");
  }

  const meta::Path& path_;
  meta::FieldErrors& errors_;
};

void set_if(json::Object& object, const char* name, const std::optional<std::string>& text) {
  if (text) object.emplace(name, *text);
}

SecretName with_namespace(SecretName secret, std::string_view binding_namespace) {
  if (secret.namespace_name.empty()) secret.namespace_name = binding_namespace;
  return secret;
}

bool same_subject(const SecretTransform& a, const SecretTransform& b, std::string_view binding_namespace) {
  if (a.kind != b.kind) return false;
  if (a.kind != Kind::kAddKeysFrom) return a.key == b.key;
  return with_namespace(a.secret, binding_namespace) == with_namespace(b.secret, binding_namespace);
}

// What the lower layer says about a subject of the higher one goes; the first such place is where the higher one's
// first word on it stands. Later words of the higher layer keep their order at the end.
SecretTransforms merged(const SecretTransforms& lower, const SecretTransforms& higher, std::string_view ns) {
  std::vector<bool> placed(higher.size(), false);
  SecretTransforms result;
  for (const auto& old : lower) {
    const auto replacing =
        std::find_if(higher.begin(), higher.end(), [&](const auto& t) { return same_subject(t, old, ns); });
    if (replacing == higher.end()) {
      result.push_back(old);
      continue;
    }
    const auto index = static_cast<size_t>(replacing - higher.begin());
    if (!placed[index]) result.push_back(*replacing);
    placed[index] = true;
  }
  for (size_t i = 0; i < higher.size(); ++i) {
    if (!placed[i]) result.push_back(higher[i]);
  }
  return result;
}

SecretTransforms allowed(const TransformDefaults& defaults) {
  SecretTransforms transforms = defaults.transforms;
  if (defaults.suggested_by_broker) {
    std::erase_if(transforms, [](const auto& transform) { return transform.kind == Kind::kAddKeysFrom; });
  }
  return transforms;
}

}  // namespace

SecretTransforms parse_secret_transforms(const json::Value& list, const meta::Path& path, meta::FieldErrors& errors) {
  SecretTransforms transforms;
  if (list.is_null()) return transforms;
  const auto* entries = list.if_array();
  if (entries == nullptr) {
    errors.add({"FieldValueTypeInvalid", "Invalid value: must be a list of transforms", path.str()});
    return transforms;
  }
  if (entries->size() > kMaxTransforms) {
    errors.too_many(path, entries->size(), kMaxTransforms);
    return transforms;
  }
  for (size_t i = 0; i < entries->size(); ++i) {
    const meta::Path here = path.index(i);
    if (auto transform = TransformReader(here, errors).read((*entries)[i])) transforms.push_back(std::move(*transform));
  }
  return transforms;
}

json::Value to_json(std::span<const SecretTransform> transforms) {
  json::Array list;
  for (const auto& transform : transforms) {
    json::Object body;
    const char* name = nullptr;
    switch (transform.kind) {
      case Kind::kRenameKey:
        name = "renameKey";
        body.emplace("from", transform.key);
        body.emplace("to", transform.to);
        break;
      case Kind::kAddKey:
        name = "addKey";
        body.emplace("key", transform.key);
        set_if(body, "jsonPathExpression", transform.json_path);
        set_if(body, "stringValue", transform.string_value);
        if (transform.value) body.emplace("value", base64_encode(*transform.value));
        break;
      case Kind::kAddKeysFrom: {
        name = "addKeysFrom";
        json::Object ref{{"name", transform.secret.name}};
        if (!transform.secret.namespace_name.empty()) ref.emplace("namespace", transform.secret.namespace_name);
        body.emplace("secretRef", std::move(ref));
        break;
      }
      case Kind::kRemoveKey:
        name = "removeKey";
        body.emplace("key", transform.key);
        break;
    }
    json::Object entry;
    entry.emplace(name, std::move(body));
    list.push_back(std::move(entry));
  }
  return list;
}

SecretTransforms merge_secret_transforms(const TransformDefaults& of_class, const TransformDefaults& of_plan,
                                         const std::optional<SecretTransforms>& of_binding,
                                         std::string_view binding_namespace) {
  if (of_binding && of_binding->empty()) return {};
  SecretTransforms defaults = merged(allowed(of_class), allowed(of_plan), binding_namespace);
  return of_binding ? merged(defaults, *of_binding, binding_namespace) : defaults;
}

json::Value complete_secret_transforms(const json::Value& service_class, const json::Value& plan,
                                       const json::Value& of_binding, std::string_view binding_namespace) {
  meta::FieldErrors ignored;
  const auto defaults_of = [&](const json::Value& offer) {
    const auto* list = json::find_path(offer, {"spec", "defaultSecretTransform"});
    TransformDefaults defaults;
    if (list != nullptr) defaults.transforms = parse_secret_transforms(*list, meta::Path(), ignored);
    defaults.suggested_by_broker = is_provided(offer, "spec.defaultSecretTransform");
    return defaults;
  };
  const auto of_class = defaults_of(service_class);
  const auto of_plan = defaults_of(plan);
  if (of_class.transforms.empty() && of_plan.transforms.empty()) return nullptr;
  std::optional<SecretTransforms> own;
  if (of_binding.is_array()) {
    if (of_binding.get_array().empty()) return nullptr;  // opts out
    own = parse_secret_transforms(of_binding, meta::Path(), ignored);
  }
  return to_json(merge_secret_transforms(of_class, of_plan, own, binding_namespace));
}

std::vector<SecretName> referenced_secrets(std::span<const SecretTransform> transforms,
                                           std::string_view binding_namespace) {
  std::vector<SecretName> secrets;
  for (const auto& transform : transforms) {
    if (transform.kind != Kind::kAddKeysFrom) continue;
    SecretName secret = with_namespace(transform.secret, binding_namespace);
    if (std::find(secrets.begin(), secrets.end(), secret) == secrets.end()) secrets.push_back(std::move(secret));
  }
  return secrets;
}

std::vector<std::string> describe_transforms(std::span<const SecretTransform> transforms) {
  std::vector<std::string> lines;
  for (const auto& transform : transforms) {
    switch (transform.kind) {
      case Kind::kRenameKey:
        lines.push_back(fmt::format("{} -> {}", transform.key, transform.to));
        break;
      case Kind::kAddKey:
        lines.push_back(fmt::format("{} -> {}", transform.json_path.value_or("(fixed value)"), transform.key));
        break;
      case Kind::kAddKeysFrom:
        lines.push_back(
            transform.secret.namespace_name.empty()
                ? fmt::format("(all keys of secret {})", transform.secret.name)
                : fmt::format("(all keys of secret {}/{})", transform.secret.namespace_name, transform.secret.name));
        break;
      case Kind::kRemoveKey:
        lines.push_back(fmt::format("{} -> (removed)", transform.key));
        break;
    }
  }
  return lines;
}

}  // namespace chandler::resolve
