#include "reconcilers/catalog/parameters.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "auth/user.h"
#include "base/text.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/catalog/reasons.h"

namespace chandler::reconcilers {
namespace {

// Whether somebody may do now what they might not before. Rights cannot be watched: on a cluster they may come from
// anywhere, not from roles alone. So it is asked again after a while, and the condition says so.
constexpr std::chrono::seconds kAskAgain{60};

constexpr std::string_view kParameterChecksum = "parameterChecksum";
constexpr std::array<std::string_view, 2> kProperties{"externalProperties", "inProgressProperties"};
constexpr std::string_view kUnconfirmed = "unconfirmedProperties";

bool is_bare(const json::Value& properties) {
  return resolve::is_bare_digest(json::string_or(properties, kParameterChecksum));
}

bool has_bare_checksums(const json::Value& status) {
  for (const auto field : kProperties) {
    if (is_bare(member(status, field))) return true;
  }
  const auto* unconfirmed = json::array_at(status, kUnconfirmed);
  return unconfirmed != nullptr && std::any_of(unconfirmed->begin(), unconfirmed->end(), is_bare);
}

void seal(json::Value& properties, std::string_view uid, const Settings& settings) {
  if (!is_bare(properties)) return;
  auto& stored = properties.get_object()[kParameterChecksum];
  stored = text(settings.checksum_key.checksum_of_digest(uid, json::view(stored.get_string())));
}

}  // namespace

auth::User user_of(const json::Value& info) {
  auth::User user;
  user.name = text_at(info, "username");
  user.uid = text_at(info, "uid");
  if (const auto* groups = json::array_at(info, "groups")) {
    for (const auto& group : *groups) {
      if (group.is_string()) user.groups.emplace_back(json::view(group.get_string()));
    }
  }
  if (const auto* extra = json::object_at(info, "extra")) {
    for (const auto& [key, values] : *extra) {
      auto& list = user.extra[std::string(key)];
      if (!values.is_array()) continue;
      for (const auto& value : values.get_array()) {
        if (value.is_string()) list.emplace_back(json::view(value.get_string()));
      }
    }
  }
  return user;
}

Found<bool> check_secret_access(const json::Value& spec, std::string_view ns, std::string_view secret,
                                controller::View& view) {
  const auto user = user_of(member(spec, "userInfo"));
  if (user.name.empty()) return true;  // nobody is on record: the object is older than the record of users
  auth::Attributes attributes;
  attributes.user = &user;
  attributes.verb = "get";
  attributes.version = "v1";
  attributes.resource = "secrets";
  attributes.name = secret;
  attributes.namespace_ = ns;
  switch (view.may(attributes)) {
    case client::Access::Decision::kAllowed:
      return true;
    case client::Access::Decision::kUnknown:
      return Problem{};
    case client::Access::Decision::kDenied:
      break;
  }
  return Problem{
      reason::kErrorWithParameters,
      fmt::format("User \"{}\", who asked for this, may not read secret {}/{}; grant it or use another secret. This is "
                  "checked again every {} s.",
                  user.name, ns, secret, kAskAgain.count()),
      kAskAgain};
}

Found<std::vector<resolve::SecretParameters>> read_parameter_secrets(const json::Value& spec, std::string_view ns,
                                                                     controller::View& view) {
  std::vector<resolve::SecretParameters> secrets;
  const auto* sources = json::array_at(spec, "parametersFrom");
  if (sources == nullptr) return secrets;
  for (const auto& source : *sources) {
    const auto& reference = member(source, "secretKeyRef");
    const auto name = text_at(reference, "name");
    const auto key = text_at(reference, "key");
    const auto secret = view.get(kSecrets, ns, name);  // first, so that its change is noticed in any case
    if (auto allowed = check_secret_access(spec, ns, name, view); !allowed.ok()) {
      return fail(std::move(allowed).error());
    }
    if (!secret) {
      return Problem{reason::kErrorWithParameters,
                     fmt::format("Secret {}/{} with parameters does not exist; create it.", ns, name)};
    }
    const auto encoded = json::string_at(member(secret.value(), "data"), key);
    const auto bytes = encoded ? base64_decode(*encoded) : std::nullopt;
    if (!bytes) {
      return Problem{reason::kErrorWithParameters,
                     fmt::format("Secret {}/{} has no key \"{}\"; add it.", ns, name, key)};
    }
    auto read = resolve::read_secret_parameters(fmt::format("key \"{}\" of secret \"{}\"", key, name), *bytes);
    if (!read.ok()) return Problem{reason::kErrorWithParameters, read.error().message};
    secrets.push_back(*std::move(read));
  }
  return secrets;
}

json::Object stored_parameters(const json::Value& spec, std::string_view ns, controller::View& view) {
  json::Object out;
  const auto* sources = json::array_at(spec, "parametersFrom");
  if (sources == nullptr) return out;
  for (const auto& source : *sources) {
    const auto& reference = member(source, "secretKeyRef");
    const auto secret = view.get(kSecrets, ns, text_at(reference, "name"));
    if (!secret) continue;
    const auto encoded = json::string_at(member(secret.value(), "data"), text_at(reference, "key"));
    const auto bytes = encoded ? base64_decode(*encoded) : std::nullopt;
    if (!bytes) continue;
    const auto read = resolve::read_secret_parameters("", *bytes);
    if (!read.ok()) continue;
    for (const auto& [key, value] : read->value.get_object()) out.emplace(key, value);
  }
  return out;
}

Found<Parameters> join_parameters(const json::Value& own, const std::vector<resolve::SecretParameters>& secrets,
                                  const client::Object& object, const Settings& settings) {
  auto combined = resolve::combine_parameters(own.is_null() ? nullptr : &own, secrets);
  if (!combined.ok()) return Problem{reason::kErrorWithParameters, combined.error().message};
  Parameters parameters;
  if (combined->value.is_object() && combined->value.get_object().empty()) return parameters;
  parameters.checksum = settings.checksum_key.checksum(object.uid(), combined->value);
  parameters.value = std::move(combined->value);
  parameters.redacted = std::move(combined->redacted);
  return parameters;
}

Found<Parameters> parameters_of(const client::Object& object, const Settings& settings, controller::View& view) {
  const auto& spec = spec_of(object);
  auto secrets = read_parameter_secrets(spec, object.ns(), view);
  if (!secrets.ok()) return fail(std::move(secrets).error());
  return join_parameters(member(spec, "parameters"), *secrets, object, settings);
}

bool has_parameters(const json::Value& properties, const Parameters& parameters) {
  const auto stored = text_at(properties, kParameterChecksum);
  if (stored.empty() || parameters.checksum.empty() || resolve::same_key(stored, parameters.checksum))
    return stored == parameters.checksum;
  // The key has been lost and another one made. Only what came from secrets is not known any more, and a loss of ours
  // must not look like a change of theirs.
  return json::equal(member(properties, "parameters"), parameters.redacted);
}

std::optional<controller::Step> seal_checksums(const client::KindName& kind, const client::Object& object,
                                               const Settings& settings) {
  if (!has_bare_checksums(status_of(object))) return std::nullopt;
  Draft draft(kind, object);
  auto& status = draft.status();
  for (const auto field : kProperties) {
    if (auto* properties = status.if_contains(field)) seal(*properties, object.uid(), settings);
  }
  if (auto* unconfirmed = status.if_contains(kUnconfirmed); unconfirmed != nullptr && unconfirmed->is_array()) {
    for (auto& properties : unconfirmed->get_array()) seal(properties, object.uid(), settings);
  }
  return controller::Step::write(std::move(draft).update_status());
}

}  // namespace chandler::reconcilers
