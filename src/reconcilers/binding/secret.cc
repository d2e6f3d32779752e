#include "reconcilers/binding/secret.h"

#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "json/writer.h"
#include "reconcilers/catalog/parameters.h"
#include "reconcilers/catalog/reasons.h"
#include "resolve/digest.h"
#include "resolve/secret_transform.h"

namespace chandler::reconcilers {
namespace {

// Both stand on the secret itself: only who may read the credentials sees a digest of them.
constexpr std::string_view kDigestAnnotation = "servicecatalog.kubernetes.io/digest";
constexpr std::string_view kRequestAnnotation = "servicecatalog.kubernetes.io/request";

std::string digest_of(const json::Value& data) {
  return resolve::sha256_hex(json::write(data.is_object() ? data : json::Value(json::Object())));
}

// Names the request and the spec that the credentials were written for.
std::string request_of(const BindingView& binding) {
  return fmt::format("{}/{}", binding.operation_start(), binding.generation());
}

json::Value owner_reference(const BindingView& binding) {
  json::Object owner;
  owner["apiVersion"] = text(kCatalogVersion);
  owner["kind"] = "ServiceBinding";
  owner["name"] = text(binding.name());
  owner["uid"] = text(binding.object().uid());
  owner["controller"] = true;
  owner["blockOwnerDeletion"] = true;
  return owner;
}

Found<resolve::SecretEntries> read_entries(const BindingView& binding, const resolve::SecretName& name,
                                           controller::View& view) {
  if (auto allowed = check_secret_access(binding.spec(), name.namespace_name, name.name, view); !allowed.ok()) {
    return fail(std::move(allowed).error());
  }
  resolve::SecretEntries entries;
  const auto secret = view.get(kSecrets, name.namespace_name, name.name);
  if (!secret) {
    return Problem{reason::kErrorInjecting,
                   fmt::format("Secret {}/{}, which addKeysFrom names, does not exist; create it.", name.namespace_name,
                               name.name)};
  }
  if (const auto* data = json::object_at(secret.value(), "data")) {
    for (const auto& [key, value] : *data) {
      if (!value.is_string()) continue;
      if (auto bytes = base64_decode(json::view(value.get_string())))
        entries.emplace(std::string(key), *std::move(bytes));
    }
  }
  return entries;
}

Found<json::Object> transformed(const BindingView& binding, const json::Value& credentials, controller::View& view) {
  meta::FieldErrors errors;
  const meta::Path path = meta::Path("spec").member(binding.transform_field());
  const auto transforms =
      resolve::parse_secret_transforms(member(binding.spec(), binding.transform_field()), path, errors);
  if (!errors.empty()) {
    return Problem{reason::kErrorInjecting,
                   fmt::format("{}: {}.", errors.causes().front().field, errors.causes().front().message)};
  }
  std::map<resolve::SecretName, resolve::SecretEntries> secrets;
  for (const auto& name : resolve::referenced_secrets(transforms, binding.ns())) {
    auto entries = read_entries(binding, name, view);
    if (!entries.ok()) return fail(std::move(entries).error());
    secrets.emplace(name, *std::move(entries));
  }
  auto changed = resolve::apply_secret_transforms(
      credentials, transforms, binding.ns(), [&](const resolve::SecretName& name) -> const resolve::SecretEntries* {
        const auto found = secrets.find(name);
        return found == secrets.end() ? nullptr : &found->second;
      });
  if (!changed.ok()) return Problem{reason::kErrorInjecting, changed.error().message};
  auto data = resolve::encode_secret_data(*changed);
  if (!data.ok()) return Problem{reason::kErrorInjecting, data.error().message};
  return *std::move(data);
}

}  // namespace

bool owns(const BindingView& binding, const client::Object& secret) {
  const auto* owners = json::array_at(member(secret.value(), "metadata"), "ownerReferences");
  if (owners == nullptr) return false;
  for (const auto& owner : *owners) {
    if (true_at(owner, "controller") && text_at(owner, "uid") == binding.object().uid()) return true;
  }
  return false;
}

bool delivered(const BindingView& binding, const client::Object& secret) {
  return owns(binding, secret) && annotation_of(secret, kRequestAnnotation) == request_of(binding) && intact(secret);
}

bool intact(const client::Object& secret) {
  return annotation_of(secret, kDigestAnnotation) == digest_of(member(secret.value(), "data"));
}

std::optional<Problem> obstacle(const BindingView& binding, controller::View& view) {
  const auto secret = view.get(kSecrets, binding.ns(), binding.secret_name());
  if (!secret || owns(binding, secret)) return std::nullopt;
  return Problem{reason::kErrorInjecting,
                 fmt::format("Secret {}/{} exists and does not belong to this binding; delete it, or choose another "
                             "spec.secretName.",
                             binding.ns(), binding.secret_name())};
}

std::optional<client::Write> former_secret(const BindingView& binding, controller::View& view) {
  const auto old = binding.written_secret();
  if (old.empty() || old == binding.secret_name()) return std::nullopt;
  const auto secret = view.get(kSecrets, binding.ns(), old);
  if (!secret || secret.deleting() || !owns(binding, secret)) return std::nullopt;
  return delete_of(kSecrets, secret);
}

Found<client::Write> deliver(const BindingView& binding, const json::Value& credentials, controller::View& view) {
  if (auto problem = obstacle(binding, view)) return *std::move(problem);
  auto data = transformed(binding, credentials, view);
  if (!data.ok()) return fail(std::move(data).error());
  const auto secret = view.get(kSecrets, binding.ns(), binding.secret_name());

  json::Value object;
  if (secret) {
    object = secret.value();
  } else {
    object.emplace_object()["apiVersion"] = "v1";
    object.get_object()["kind"] = "Secret";
  }
  auto& metadata = object_in(object.as_object(), "metadata");
  metadata["name"] = text(binding.secret_name());
  metadata["namespace"] = text(binding.ns());
  if (!secret) metadata["ownerReferences"] = json::Array{owner_reference(binding)};
  json::Value encoded(*std::move(data));
  auto& annotations = object_in(metadata, "annotations");
  annotations[kDigestAnnotation] = text(digest_of(encoded));
  annotations[kRequestAnnotation] = text(request_of(binding));
  object.get_object()["data"] = std::move(encoded);

  client::Write write;
  write.verb = secret ? client::Write::Verb::kUpdate : client::Write::Verb::kCreate;
  write.kind = kSecrets;
  write.ns = binding.ns();
  write.name = binding.secret_name();
  write.object = std::move(object);
  return write;
}

}  // namespace chandler::reconcilers
