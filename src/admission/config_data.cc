#include <array>
#include <string>

#include "admission/fields.h"
#include "admission/kind_rules.h"
#include "base/text.h"
#include "json/reader.h"
#include "meta/names.h"

namespace chandler::admission {
namespace {

constexpr size_t kMaxBytes = 1024 * 1024;
constexpr std::string_view kAccountAnnotation = "kubernetes.io/service-account.name";

void check_key(std::string_view map, std::string_view key, meta::FieldErrors& errors) {
  if (auto fault = meta::check_config_key(key); !fault.empty()) errors.invalid(meta::Path(map).key(key), key, fault);
}

// Bytes that base64 text stands for, without decoding it.
size_t decoded_size(std::string_view base64) {
  const size_t padding = base64.ends_with("==") ? 2 : base64.ends_with('=') ? 1 : 0;
  return base64.size() / 4 * 3 - (base64.empty() ? 0 : padding);
}

// Visits the texts of a map: visit(key, text).
template <typename Visit>
void each_text(const json::Value& object, std::string_view map, Visit visit) {
  const auto* members = json::object_at(object, map);
  if (members == nullptr) return;
  for (const auto& entry : *members) {
    const std::string_view key(entry.key().data(), entry.key().size());
    visit(key, entry.value().is_string() ? json::view(entry.value().get_string()) : std::string_view());
  }
}

// An object that was declared immutable stays so, and so do the fields named.
void check_frozen(const Context& context, std::initializer_list<std::string_view> fields, meta::FieldErrors& errors) {
  if (context.old == nullptr || !json::bool_at(*context.old, "immutable").value_or(false)) return;
  constexpr std::string_view kWhy = "the object is immutable; delete it and make it anew to change it";
  if (!json::bool_at(*context.object, "immutable").value_or(false)) errors.forbidden(meta::Path("immutable"), kWhy);
  for (const auto field : fields) {
    if (!same(*context.object, *context.old, field)) errors.forbidden(meta::Path(field), kWhy);
  }
}

// What the well-known types of Secrets must hold.
struct SecretKey {
  std::string_view type;
  std::string_view key;
  bool may_be_empty;
  bool is_json;
};
constexpr std::array kSecretKeys = {
    SecretKey{"kubernetes.io/dockercfg", ".dockercfg", true, true},
    SecretKey{"kubernetes.io/dockerconfigjson", ".dockerconfigjson", true, true},
    SecretKey{"kubernetes.io/ssh-auth", "ssh-privatekey", false, false},
    SecretKey{"kubernetes.io/tls", "tls.crt", true, false},
    SecretKey{"kubernetes.io/tls", "tls.key", true, false},
};

bool is_json_object(std::string_view base64) {
  const auto bytes = base64_decode(base64);
  if (!bytes) return false;
  const auto parsed = json::parse(*bytes);
  return parsed.ok() && parsed->is_object();
}

void check_type(const json::Value& secret, meta::FieldErrors& errors) {
  const auto type = json::string_or(secret, "type");
  const auto& data = member(secret, "data");
  const meta::Path path("data");
  for (const auto& rule : kSecretKeys) {
    if (rule.type != type) continue;
    const auto value = json::string_at(data, rule.key);
    if (!value || (value->empty() && !rule.may_be_empty)) {
      errors.required(path.key(rule.key), "a Secret of type " + type + " has this key");
    } else if (rule.is_json && !is_json_object(*value)) {
      // The content is secret: it is not repeated.
      errors.invalid(path.key(rule.key), "<redacted>", "must be a JSON object, base64-encoded");
    }
  }
  if (type == "kubernetes.io/basic-auth" && !present(data, "username") && !present(data, "password")) {
    errors.required(path.key("username"), "username or password, or both");
    errors.required(path.key("password"), "username or password, or both");
  }
  if (type == "kubernetes.io/service-account-token" &&
      !filled(member(member(secret, "metadata"), "annotations"), kAccountAnnotation)) {
    errors.required(meta::Path("metadata.annotations").key(kAccountAnnotation), "names the service account");
  }
}

}  // namespace

void default_config_map(Context& context) {
  auto& object = context.object->as_object();
  drop_if_empty(object, "data");
  drop_if_empty(object, "binaryData");
}

void check_config_map(const Context& context, meta::FieldErrors& errors) {
  const auto& object = *context.object;
  const auto& binary = member(object, "binaryData");
  size_t size = 0;
  each_text(object, "data", [&](std::string_view key, std::string_view value) {
    check_key("data", key, errors);
    size += value.size();
    if (json::find(binary, key) != nullptr) {
      errors.invalid(meta::Path("data").key(key), key, "the key is in binaryData too; it can be in one of them only");
    }
  });
  each_text(object, "binaryData", [&](std::string_view key, std::string_view value) {
    check_key("binaryData", key, errors);
    size += decoded_size(value);
  });
  // The whole object is too large; the API has no better name for that than this.
  if (size > kMaxBytes) errors.too_long(meta::Path("[]"), kMaxBytes);
  check_frozen(context, {"data", "binaryData"}, errors);
}

void default_secret(Context& context) {
  auto& object = context.object->as_object();
  if (const auto* given = object.if_contains("stringData"); given != nullptr && given->is_object()) {
    const json::Object clear = given->get_object();
    for (const auto& entry : clear) {
      if (entry.value().is_string()) {
        object_in(object, "data")[entry.key()] = base64_encode(json::view(entry.value().get_string()));
      }
    }
  }
  object.erase("stringData");
  drop_if_empty(object, "data");
}

void check_secret(const Context& context, meta::FieldErrors& errors) {
  size_t size = 0;
  each_text(*context.object, "data", [&](std::string_view key, std::string_view value) {
    check_key("data", key, errors);
    size += decoded_size(value);
  });
  if (size > kMaxBytes) errors.too_long(meta::Path("data"), kMaxBytes);
  check_type(*context.object, errors);
  check_frozen(context, {"data"}, errors);
}

}  // namespace chandler::admission
