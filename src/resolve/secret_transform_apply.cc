// Applying transforms to credentials, and what a Secret holds in the end.
#include <fmt/format.h>

#include "base/text.h"
#include "json/json_path_strict.h"
#include "json/writer.h"
#include "meta/names.h"
#include "resolve/choose_default.h"
#include "resolve/parameter_bounds.h"
#include "resolve/secret_transform.h"

namespace chandler::resolve {
namespace {

using Kind = SecretTransform::Kind;

// What a Secret may hold. Transforms may go beyond it on the way, but not without end.
constexpr size_t kMaxSecretBytes = 1024 * 1024;
constexpr size_t kMaxAddedBytes = 4 * kMaxSecretBytes;

json::Value bytes_value(std::string_view bytes) {
  return json::Value(boost::json::string_view(bytes.data(), bytes.size()));
}

class Application {
 public:
  Application(const json::Value& credentials, std::string_view binding_namespace, const SecretLookup& secrets)
      : binding_namespace_(binding_namespace), secrets_(secrets), document_(json::Object()) {
    if (credentials.is_object()) document_ = json::Value(credentials, json::Storage());
  }

  Result<void> apply(const SecretTransform& transform) {
    json::Object& object = document_.get_object();
    switch (transform.kind) {
      case Kind::kRenameKey:
        rename(object, transform);
        return {};
      case Kind::kAddKey:
        return add(transform);
      case Kind::kAddKeysFrom:
        return add_from(transform);
      case Kind::kRemoveKey:
        object.erase(transform.key);
        return {};
    }
    return {};
  }

  json::Object take() { return std::move(document_.get_object()); }

 private:
  static void rename(json::Object& object, const SecretTransform& transform) {
    auto* found = object.if_contains(transform.key);
    if (found == nullptr || transform.key == transform.to) return;
    json::Value moved = std::move(*found);
    object.erase(transform.key);
    object.insert_or_assign(transform.to, std::move(moved));
  }

  Result<void> add(const SecretTransform& transform) {
    if (!transform.json_path) {
      const auto& given = transform.string_value ? transform.string_value : transform.value;
      return set(transform.key, given.value_or(""));
    }
    const auto rendered = json::render_strict(*transform.json_path, document_, kMaxSecretBytes);
    if (!rendered.ok()) {
      return bad_request(fmt::format("addKey {}: {} cannot be taken from the credentials: {}", shown_key(transform.key),
                                     shown_key(*transform.json_path), rendered.error().message));
    }
    return set(transform.key, *rendered);
  }

  Result<void> add_from(const SecretTransform& transform) {
    SecretName secret = transform.secret;
    if (secret.namespace_name.empty()) secret.namespace_name = binding_namespace_;
    const SecretEntries* entries = secrets_ ? secrets_(secret) : nullptr;
    if (entries == nullptr) {
      return bad_request(
          fmt::format("addKeysFrom: there is no secret {} in namespace {}; create it or remove the "
                      "transform",
                      quoted(secret.name), quoted(secret.namespace_name)));
    }
    for (const auto& [key, bytes] : *entries) CH_TRY(set(key, bytes));
    return {};
  }

  Result<void> set(const std::string& key, std::string_view bytes) {
    added_ += key.size() + bytes.size();
    if (added_ > kMaxAddedBytes) {
      return too_large(
          fmt::format("the transforms add more than {} bytes, reached at key {}", kMaxAddedBytes, shown_key(key)));
    }
    document_.get_object().insert_or_assign(key, bytes_value(bytes));
    return {};
  }

  std::string_view binding_namespace_;
  const SecretLookup& secrets_;
  json::Value document_;
  size_t added_ = 0;
};

// A key that a Secret can have, made of one that it cannot.
std::string proposed_key(std::string_view key) {
  std::string proposal;
  for (const char c : key.substr(0, 63)) proposal += meta::check_config_key(std::string("k") + c).empty() ? c : '_';
  if (!meta::check_config_key(proposal).empty()) proposal = "key_" + proposal;
  return proposal;
}

}  // namespace

Result<json::Object> apply_secret_transforms(const json::Value& credentials,
                                             std::span<const SecretTransform> transforms,
                                             std::string_view binding_namespace, const SecretLookup& secrets) {
  if (!credentials.is_null() && !credentials.is_object()) {
    return bad_request(
        fmt::format("the broker must give credentials as an object, not {}", json::type_name(credentials)));
  }
  Application application(credentials, binding_namespace, secrets);
  for (const auto& transform : transforms) CH_TRY(application.apply(transform));
  return application.take();
}

Result<json::Object> encode_secret_data(const json::Object& credentials) {
  json::Object data;
  std::vector<std::string> refused;
  std::string example;
  size_t bytes = 0;
  for (const auto& member : credentials) {
    const std::string_view key = member.key();
    if (!meta::check_config_key(key).empty()) {
      if (refused.empty()) {
        example = key.empty() ? std::string("{removeKey: {key: ...}}")
                              : fmt::format("{{renameKey: {{from: {}, to: {}}}}}", shown_key(key), proposed_key(key));
      }
      refused.push_back(shown_key(key));
      continue;
    }
    const auto* text = member.value().if_string();
    const std::string content = text != nullptr ? std::string(json::view(*text)) : json::write(member.value());
    bytes += content.size();
    data.emplace(key, base64_encode(content));
  }
  if (!refused.empty()) {
    return bad_request(
        fmt::format("a Secret cannot have these keys of the credentials: {}. Keys consist of letters, "
                    "digits, '-', '_' and '.', at most 253. Add a transform for each, such as {}",
                    list_names(refused), example));
  }
  if (bytes > kMaxSecretBytes) {
    return too_large(
        fmt::format("the credentials have {} bytes; a Secret holds at most {}. Remove what is not needed "
                    "with removeKey",
                    bytes, kMaxSecretBytes));
  }
  return data;
}

}  // namespace chandler::resolve
