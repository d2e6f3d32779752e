#include "auth/reviews.h"

#include <fmt/format.h>

#include <optional>

#include "base/text.h"
#include "base/time_text.h"
#include "meta/field_error.h"

namespace chandler::auth {
namespace {

using meta::Path;

constexpr std::string_view kAuthorization = "authorization.k8s.io";
constexpr std::string_view kAuthentication = "authentication.k8s.io";

json::Array texts(const std::vector<std::string>& items) { return json::Array(items.begin(), items.end()); }

json::Value answer(std::string_view kind, std::string_view group, json::Value metadata, json::Value spec,
                   json::Object status) {
  json::Object document;
  document["kind"] = kind;
  document["apiVersion"] = fmt::format("{}/v1", group);
  document["metadata"] = std::move(metadata);
  if (!spec.is_null()) document["spec"] = std::move(spec);
  document["status"] = std::move(status);
  return document;
}

json::Object user_info(const User& user) {
  json::Object info;
  if (!user.name.empty()) info["username"] = user.name;
  if (!user.uid.empty()) info["uid"] = user.uid;
  if (!user.groups.empty()) info["groups"] = texts(user.groups);
  if (!user.extra.empty()) {
    json::Object extra;
    for (const auto& [key, values] : user.extra) extra[key] = texts(values);
    info["extra"] = std::move(extra);
  }
  return info;
}

bool is_empty(const json::Value& value) {
  return value.is_null() || (value.is_string() && value.get_string().empty()) ||
         (value.is_array() && value.get_array().empty());
}

// The spec is sent back the way upstream writes it: what is empty is left out.
json::Value without_empty(const json::Value& value) {
  if (!value.is_object()) return value;
  json::Object object;
  for (const auto& member : value.get_object()) {
    if (!is_empty(member.value())) object[member.key()] = without_empty(member.value());
  }
  return object;
}

// Reads members of a spec. A member of the wrong type is a request that cannot be understood, not a faulty value.
class Reader {
 public:
  Reader(const json::Value& value, Path path) : value_(value), path_(std::move(path)) {}

  std::string text(std::string_view key) {
    const auto* member = json::find(value_, key);
    if (member == nullptr || member->is_null()) return "";
    if (member->is_string()) return std::string(json::view(member->get_string()));
    fault(path_.member(key), "a string");
    return "";
  }

  std::vector<std::string> list(std::string_view key) {
    const auto* member = json::find(value_, key);
    if (member == nullptr || member->is_null()) return {};
    return strings(*member, path_.member(key));
  }

  // Null when absent.
  const json::Value* object(std::string_view key) {
    const auto* member = json::find(value_, key);
    if (member == nullptr || member->is_null()) return nullptr;
    if (!member->is_object()) fault(path_.member(key), "an object");
    return member;
  }

  std::map<std::string, std::vector<std::string>> lists(std::string_view key) {
    std::map<std::string, std::vector<std::string>> all;
    const auto* member = object(key);
    if (member == nullptr || !member->is_object()) return all;
    for (const auto& item : member->get_object()) {
      all[std::string(item.key())] = strings(item.value(), path_.member(key).key(item.key()));
    }
    return all;
  }

  Result<void> result() const {
    if (fault_) return fail(bad_request(*fault_));
    return {};
  }

 private:
  std::vector<std::string> strings(const json::Value& value, const Path& path) {
    std::vector<std::string> all;
    if (!value.is_array()) {
      fault(path, "a list of strings");
      return all;
    }
    for (const auto& item : value.get_array()) {
      if (!item.is_string()) {
        fault(path, "a list of strings");
        return all;
      }
      all.emplace_back(json::view(item.get_string()));
    }
    return all;
  }

  void fault(const Path& path, std::string_view expected) {
    if (!fault_) fault_ = fmt::format("{}: must be {}", path.str(), expected);
  }

  const json::Value& value_;
  const Path path_;
  std::optional<std::string> fault_;
};

const json::Value& spec_of(const json::Value& request) {
  static const json::Value kEmpty = json::Object();
  const auto* spec = json::find(request, "spec");
  return spec == nullptr || spec->is_null() ? kEmpty : *spec;
}

struct AccessQuestion {
  Attributes attributes;  // without the user
  User user;              // as the spec names it
};

Result<AccessQuestion> read_question(const json::Value& spec, std::string_view kind, bool names_user,
                                     meta::FieldErrors& errors) {
  const Path path("spec");
  AccessQuestion question;
  auto& attributes = question.attributes;
  if (!spec.is_object()) return fail(bad_request(fmt::format("spec of {} must be an object", kind)));
  Reader reader(spec, path);
  const auto* resource = reader.object("resourceAttributes");
  const auto* non_resource = reader.object("nonResourceAttributes");
  if (names_user) {
    question.user.name = reader.text("user");
    question.user.uid = reader.text("uid");
    question.user.groups = reader.list("groups");
    question.user.extra = reader.lists("extra");
  }
  CH_TRY(reader.result());
  if (resource != nullptr && non_resource != nullptr) {
    errors.invalid(path.member("nonResourceAttributes"), *non_resource,
                   "cannot be specified in combination with resourceAttributes");
  }
  if (resource == nullptr && non_resource == nullptr) {
    errors.invalid(path.member("resourceAttributes"), json::Value(),
                   "exactly one of nonResourceAttributes or resourceAttributes must be specified");
  }
  if (names_user && question.user.name.empty() && question.user.groups.empty()) {
    errors.invalid(path.member("user"), std::string_view(), "at least one of user or group must be specified");
  }
  if (resource != nullptr) {
    Reader fields(*resource, path.member("resourceAttributes"));
    attributes.verb = fields.text("verb");
    attributes.group = fields.text("group");
    attributes.version = fields.text("version");
    attributes.resource = fields.text("resource");
    attributes.subresource = fields.text("subresource");
    attributes.name = fields.text("name");
    attributes.namespace_ = fields.text("namespace");
    CH_TRY(fields.result());
  } else if (non_resource != nullptr) {
    Reader fields(*non_resource, path.member("nonResourceAttributes"));
    attributes.is_resource = false;
    attributes.verb = fields.text("verb");
    attributes.path = fields.text("path");
    CH_TRY(fields.result());
  }
  return question;
}

// Clients know these faults with the group alone, without kind and name.
Error faulty_review(std::string_view kind, meta::FieldErrors& errors) {
  auto error = invalid({std::string(kAuthorization), std::string(kind), "", ""}, errors.take());
  error.about.kind.clear();
  return error;
}

json::Value access_answer(std::string_view kind, const json::Value& spec, json::Object metadata, Attributes attributes,
                          const User& user, const Policy& policy) {
  attributes.user = &user;
  const auto decision = policy.authorize(attributes);
  json::Object status;
  status["allowed"] = decision.allowed;
  if (auto reason = decision.reason(); !reason.empty()) status["reason"] = reason;
  return answer(kind, kAuthorization, std::move(metadata), without_empty(spec), std::move(status));
}

}  // namespace

Result<json::Value> self_subject_access_review(const json::Value& request, const User& self, const Policy& policy) {
  constexpr std::string_view kKind = "SelfSubjectAccessReview";
  const auto& spec = spec_of(request);
  meta::FieldErrors errors;
  CH_TRY_LET(question, read_question(spec, kKind, false, errors));
  if (!errors.empty()) return fail(faulty_review(kKind, errors));
  return access_answer(kKind, spec, {}, std::move(question.attributes), self, policy);
}

Result<json::Value> subject_access_review(const json::Value& request, const Policy& policy) {
  constexpr std::string_view kKind = "SubjectAccessReview";
  const auto& spec = spec_of(request);
  meta::FieldErrors errors;
  CH_TRY_LET(question, read_question(spec, kKind, true, errors));
  if (!errors.empty()) return fail(faulty_review(kKind, errors));
  return access_answer(kKind, spec, {}, std::move(question.attributes), question.user, policy);
}

Result<json::Value> local_subject_access_review(const json::Value& request, std::string_view ns, const Policy& policy) {
  constexpr std::string_view kKind = "LocalSubjectAccessReview";
  const auto& spec = spec_of(request);
  meta::FieldErrors errors;
  CH_TRY_LET(question, read_question(spec, kKind, true, errors));
  const Path path("spec");
  if (const auto* attributes = json::find(spec, "nonResourceAttributes"); attributes && !attributes->is_null()) {
    errors.invalid(path.member("nonResourceAttributes"), *attributes, "disallowed on this kind of request");
  } else if (errors.empty() && question.attributes.namespace_ != ns) {
    errors.invalid(path.member("resourceAttributes").member("namespace"), question.attributes.namespace_,
                   "must match metadata.namespace");
  }
  if (!errors.empty()) return fail(faulty_review(kKind, errors));
  json::Object metadata;
  metadata["namespace"] = ns;
  return access_answer(kKind, spec, std::move(metadata), std::move(question.attributes), question.user, policy);
}

Result<json::Value> self_subject_rules_review(const json::Value& request, const User& self, const Policy& policy) {
  Reader reader(spec_of(request), Path("spec"));
  const auto ns = reader.text("namespace");
  CH_TRY(reader.result());
  if (ns.empty()) return fail(bad_request("spec.namespace: a namespace is required: rules are listed for one"));
  json::Array resource_rules;
  json::Array path_rules;
  for (const auto& rule : policy.rules_for(self, ns)) {
    if (!rule.resources.empty()) {
      json::Object shown{
          {"verbs", texts(rule.verbs)}, {"apiGroups", texts(rule.groups)}, {"resources", texts(rule.resources)}};
      if (!rule.names.empty()) shown["resourceNames"] = texts(rule.names);
      resource_rules.push_back(std::move(shown));
    }
    if (!rule.urls.empty()) {
      path_rules.push_back(json::Object{{"verbs", texts(rule.verbs)}, {"nonResourceURLs", texts(rule.urls)}});
    }
  }
  json::Object status;
  status["resourceRules"] = std::move(resource_rules);
  status["nonResourceRules"] = std::move(path_rules);
  status["incomplete"] = false;
  // The spec of this kind is not sent back.
  return answer("SelfSubjectRulesReview", kAuthorization, json::Object(), json::Object(), std::move(status));
}

json::Value self_subject_review(const User& self, WallTime now) {
  json::Object metadata;
  metadata["creationTimestamp"] = rfc3339(now);
  json::Object status;
  status["userInfo"] = user_info(self);
  return answer("SelfSubjectReview", kAuthentication, std::move(metadata), nullptr, std::move(status));
}

Result<json::Value> token_review(const json::Value& request, const Authenticator& tokens) {
  const auto& spec = spec_of(request);
  Reader reader(spec, Path("spec"));
  const auto token = reader.text("token");
  const auto audiences = reader.list("audiences");
  CH_TRY(reader.result());
  if (token.empty()) return fail(bad_request("spec.token: a token is required: it is what is reviewed"));
  Credentials credentials;
  credentials.bearer_token = token;
  if (!audiences.empty()) credentials.audiences = &audiences;
  const auto found = tokens.authenticate(credentials);
  json::Object status;
  if (found.ok() && found->has_value()) {
    status["authenticated"] = true;
    status["user"] = user_info((*found)->user);
    if (!(*found)->audiences.empty()) status["audiences"] = texts((*found)->audiences);
  } else {
    status["user"] = json::Object();
    status["error"] = found.ok() ? std::string("no authentication method knows the token") : found.error().message;
  }
  return answer("TokenReview", kAuthentication, json::Object(), without_empty(spec), std::move(status));
}

}  // namespace chandler::auth
