#include "auth/token_request.h"

#include <fmt/format.h>

#include "base/ids.h"
#include "base/text.h"
#include "base/time_text.h"
#include "meta/body_type.h"
#include "meta/field_error.h"

namespace chandler::auth {
namespace {

constexpr int64_t kDefaultSeconds = 3600;
constexpr int64_t kMinSeconds = 600;
constexpr int64_t kMaxSeconds = int64_t{1} << 32;

constexpr std::string_view kGroup = "authentication.k8s.io";
constexpr meta::BodyType kType{"TokenRequest", "authentication.k8s.io/v1"};

ObjectRef about_request(std::string_view account) {
  return {std::string(kGroup), std::string(kType.kind), std::string(account), ""};
}

// The text of a member, "" when it is absent; `path` names it when it is something else than a text.
Result<std::string_view> text_in(const json::Value& parent, std::string_view key, std::string_view path) {
  const auto* value = json::find(parent, key);
  if (value == nullptr || value->is_null()) return std::string_view();
  if (!value->is_string()) return kType.malformed(fmt::format("{}: expected a string", path));
  return json::view(value->get_string());
}

Result<const json::Value*> object_in(const json::Value& parent, std::string_view key) {
  static const json::Value none = json::Object();
  const auto* value = json::find(parent, key);
  if (value == nullptr || value->is_null()) return &none;
  if (!value->is_object()) return kType.malformed(fmt::format("{}: expected an object", key));
  return value;
}

// Kind and account are in the URL too; a body that differs was meant for another one.
Result<void> check_meant_here(const json::Value& request, std::string_view ns, std::string_view name) {
  CH_TRY_LET(version, text_in(request, "apiVersion", "apiVersion"));
  if (!version.empty() && version != kType.api_version) return kType.other_version(version);
  CH_TRY_LET(kind, text_in(request, "kind", "kind"));
  if (!kind.empty() && kind != kType.kind) return kType.other_kind(kind);
  CH_TRY_LET(metadata, object_in(request, "metadata"));
  CH_TRY_LET(given_ns, text_in(*metadata, "namespace", "metadata.namespace"));
  if (!given_ns.empty() && given_ns != ns) return meta::BodyType::other_namespace(given_ns, ns);
  CH_TRY_LET(given_name, text_in(*metadata, "name", "metadata.name"));
  if (given_name.empty() || given_name == name) return {};
  meta::FieldErrors errors;
  errors.invalid(meta::Path("metadata").member("name"), given_name, "must match the service account name if specified");
  return invalid(about_request(name), errors.take());
}

int64_t read_expiration(const json::Value& spec, meta::FieldErrors& errors) {
  const auto* value = json::find(spec, "expirationSeconds");
  if (value == nullptr || value->is_null()) return kDefaultSeconds;
  const auto path = meta::Path("spec").member("expirationSeconds");
  const auto seconds = json::int_at(spec, "expirationSeconds");
  if (!seconds) {
    errors.type_invalid(path, *value, "must be an integer");
  } else if (*seconds < kMinSeconds) {
    errors.invalid(path, *value, "may not specify a duration less than 10 minutes");
  } else if (*seconds > kMaxSeconds) {
    errors.invalid(path, *value, "may not specify a duration larger than 2^32 seconds");
  }
  return seconds.value_or(kDefaultSeconds);
}

std::vector<std::string> read_audiences(const json::Value& spec, meta::FieldErrors& errors) {
  std::vector<std::string> audiences;
  const auto* value = json::find(spec, "audiences");
  if (value == nullptr || value->is_null()) return audiences;
  const auto path = meta::Path("spec").member("audiences");
  if (!value->is_array()) {
    errors.type_invalid(path, *value, "must be a list of strings");
    return audiences;
  }
  for (size_t i = 0; i < value->get_array().size(); ++i) {
    const auto& item = value->get_array()[i];
    if (item.is_string()) {
      audiences.emplace_back(json::view(item.get_string()));
    } else {
      errors.type_invalid(path.index(i), item, "must be a string");
    }
  }
  return audiences;
}

Result<std::optional<BoundObject>> read_bound(const json::Value& spec, std::string_view ns,
                                              const ServiceAccountLookup& lookup) {
  const auto* ref = json::find(spec, "boundObjectRef");
  if (ref == nullptr || ref->is_null()) return std::optional<BoundObject>();
  BoundObject bound{json::string_or(*ref, "kind"), json::string_or(*ref, "name"), json::string_or(*ref, "uid")};
  const auto version = json::string_or(*ref, "apiVersion", "v1");
  if (version != "v1" || (bound.kind != "Pod" && bound.kind != "Secret" && bound.kind != "Node")) {
    return fail(
        bad_request(fmt::format("spec.boundObjectRef: a token cannot be bound to {} {}; only to a Pod, Secret "
                                "or Node of v1",
                                version, quoted(bound.kind))));
  }
  ObjectRef about{"", to_lower(bound.kind) + "s", bound.name, ""};
  const auto uid = lookup.bound_uid(bound.kind, bound.kind == "Node" ? std::string_view() : ns, bound.name);
  if (!uid) return fail(not_found(std::move(about)));
  if (!bound.uid.empty() && bound.uid != *uid) {
    // Without the real uid, which the requester need not have a right to.
    return fail(conflict(std::move(about), fmt::format("the uid in the bound object reference ({}) does not match the "
                                                       "uid of the object, which may have been deleted and recreated",
                                                       bound.uid)));
  }
  bound.uid = *uid;
  return std::optional(std::move(bound));
}

}  // namespace

Result<json::Value> answer_token_request(const json::Value& request, std::string_view ns, std::string_view name,
                                         const ServiceAccountTokens& tokens, const ServiceAccountLookup& lookup,
                                         WallTime now) {
  if (!request.is_object()) return fail(kType.not_an_object());
  CH_TRY(check_meant_here(request, ns, name));
  CH_TRY_LET(wanted, object_in(request, "spec"));
  const auto& spec = *wanted;
  const auto uid = lookup.uid_of(ns, name);
  if (!uid) return fail(not_found({"", "serviceaccounts", std::string(name), ""}));

  meta::FieldErrors errors;
  TokenOrder order;
  order.ns = ns;
  order.name = name;
  order.uid = *uid;
  order.lifetime = std::chrono::seconds(read_expiration(spec, errors));
  order.audiences = read_audiences(spec, errors);
  if (!errors.empty()) return fail(invalid(about_request(""), errors.take()));
  if (order.audiences.empty()) order.audiences = tokens.audiences();
  CH_TRY_LET(bound, read_bound(spec, ns, lookup));
  order.bound = std::move(bound);
  CH_TRY_LET(issued, tokens.issue(order));

  json::Object metadata;
  metadata["name"] = name;
  metadata["namespace"] = ns;
  metadata["uid"] = new_uuid();
  metadata["creationTimestamp"] = rfc3339(now);
  json::Object answered_spec;
  answered_spec["audiences"] = json::Array(order.audiences.begin(), order.audiences.end());
  answered_spec["expirationSeconds"] = order.lifetime.count();
  answered_spec["boundObjectRef"] = nullptr;
  if (order.bound) {
    answered_spec["boundObjectRef"] = json::Object{
        {"kind", order.bound->kind}, {"apiVersion", "v1"}, {"name", order.bound->name}, {"uid", order.bound->uid}};
  }
  json::Object answer;
  answer["kind"] = kType.kind;
  answer["apiVersion"] = kType.api_version;
  answer["metadata"] = std::move(metadata);
  answer["spec"] = std::move(answered_spec);
  answer["status"] = json::Object{{"token", issued.token}, {"expirationTimestamp", rfc3339(issued.expires)}};
  return json::Value(std::move(answer));
}

}  // namespace chandler::auth
