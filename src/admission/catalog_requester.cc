#include "admission/catalog_requester.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "admission/catalog_metadata.h"
#include "admission/fields.h"
#include "admission/kind_rules.h"
#include "auth/access_by_name.h"
#include "base/cut_text.h"
#include "base/text.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kUserInfo = "userInfo";
constexpr size_t kMostFaults = 20;         // of secrets, in one refusal
constexpr size_t kLongestShownName = 253;  // no valid name is longer

json::Value user_info(const auth::User& user) {
  json::Object info;
  info["username"] = text(user.name);
  info["uid"] = text(user.uid);
  if (!user.groups.empty()) {
    json::Array groups;
    for (const auto& group : user.groups) groups.push_back(text(group));
    info["groups"] = std::move(groups);
  }
  if (!user.extra.empty()) {
    json::Object extra;
    for (const auto& [key, values] : user.extra) {
      json::Array list;
      for (const auto& value : values) list.push_back(text(value));
      extra[key] = std::move(list);
    }
    info["extra"] = std::move(extra);
  }
  return info;
}

// Every member of `a` but userInfo is the same in `b`.
bool covered(const json::Object& a, const json::Object& b) {
  return std::all_of(a.begin(), a.end(), [&](const auto& entry) {
    if (entry.key() == kUserInfo) return true;
    const auto* other = b.if_contains(entry.key());
    return other != nullptr && json::equal(entry.value(), *other);
  });
}

bool allowed(const Context& context, const auth::Attributes& attributes) {
  return context.policy != nullptr && context.user != nullptr && context.policy->authorize(attributes).allowed;
}

// Whether the requesting user may do that in the cluster, to one object or (name empty) to any.
auth::Attributes question(const Context& context, std::string_view verb, std::string_view resource,
                          std::string_view name) {
  auth::Attributes attributes;
  attributes.user = context.user;
  attributes.verb = verb;
  attributes.group = kCatalogGroup;
  attributes.version = "v1beta1";
  attributes.resource = resource;
  attributes.name = name;
  return attributes;
}

// The secrets that the requesting user may get; nothing: none.
std::optional<auth::AccessByName> access_to_secrets(const Context& context) {
  if (context.policy == nullptr || context.user == nullptr) return std::nullopt;
  auth::Attributes attributes;
  attributes.user = context.user;
  attributes.verb = "get";
  attributes.version = "v1";
  attributes.resource = "secrets";
  return std::optional<auth::AccessByName>(std::in_place, *context.policy, std::move(attributes));
}

}  // namespace

bool by_catalog_controller(const Context& context) {
  return context.user != nullptr && context.user->name == kCatalogController;
}

bool is_abandoned(const json::Value& object) {
  return json::string_or(member(member(object, "metadata"), "annotations"), kAbandonAnnotation) == "true";
}

bool spec_changed(const Context& context) {
  if (context.old == nullptr) return false;
  static const json::Object empty;
  const auto* now = json::object_at(*context.object, "spec");
  const auto* before = json::object_at(*context.old, "spec");
  if (now == nullptr) now = &empty;
  if (before == nullptr) before = &empty;
  return !covered(*now, *before) || !covered(*before, *now);
}

void record_requester(Context& context) {
  if (by_catalog_controller(context) || context.user == nullptr) return;
  auto& spec = object_in(*context.object, "spec");
  if (context.old == nullptr || spec_changed(context)) {
    spec[kUserInfo] = user_info(*context.user);
  } else {
    copy_member(spec, member(*context.old, "spec"), kUserInfo);
  }
}

void record_deleter(Context& context) {
  // A second delete changes nothing: the first one is being carried out.
  const bool under_way = context.old != nullptr && filled(member(*context.old, "metadata"), "deletionTimestamp");
  if (under_way || by_catalog_controller(context) || context.user == nullptr) return;
  object_in(*context.object, "spec")[kUserInfo] = user_info(*context.user);
}

void record_abandoner(Context& context) {
  if (by_catalog_controller(context)) return;
  auto& metadata = object_in(*context.object, "metadata");
  auto* annotations = metadata.if_contains("annotations");
  if (annotations == nullptr || !annotations->is_object()) return;
  auto& known = annotations->get_object();
  if (!is_abandoned(*context.object)) {
    if (known.erase(resolve::kAbandonedByAnnotation) > 0) drop_if_empty(metadata, "annotations");
  } else if (context.old != nullptr && is_abandoned(*context.old)) {
    copy_member(known, member(member(*context.old, "metadata"), "annotations"), resolve::kAbandonedByAnnotation);
  } else if (context.user != nullptr) {
    known[resolve::kAbandonedByAnnotation] = text(context.user->name);
  }
}

bool requester_may(const Context& context, std::string_view verb, std::string_view resource,
                   std::string_view subresource, std::string_view name) {
  auto attributes = question(context, verb, resource, name);
  attributes.subresource = subresource;
  attributes.namespace_ = namespace_of(*context.object);
  return allowed(context, attributes);
}

bool requester_may_in_cluster(const Context& context, std::string_view verb, std::string_view resource,
                              std::string_view name) {
  return allowed(context, question(context, verb, resource, name));
}

Error refusal(const Context& context, std::string_view why) {
  return forbidden({std::string(kCatalogGroup), std::string(context.plural), name_of(*context.object), ""}, why);
}

std::vector<SecretUse> parameter_secrets(const json::Value& object) {
  std::vector<SecretUse> uses;
  each(member(object, "spec"), "parametersFrom", meta::Path("spec"),
       [&](const json::Value& source, const meta::Path& path) {
         auto name = json::string_or(member(source, "secretKeyRef"), "name");
         if (!name.empty()) uses.push_back({namespace_of(object), std::move(name), path.member("secretKeyRef").str()});
       });
  return uses;
}

Result<void> permit_secrets(const Context& context, const std::vector<SecretUse>& uses,
                            const std::vector<SecretUse>& before) {
  if (by_catalog_controller(context)) return {};
  std::vector<std::string> faults;
  std::vector<Cause> causes;
  std::set<std::pair<std::string_view, std::string_view>> permitted;
  for (const auto& use : before) permitted.emplace(use.ns, use.name);
  auto access = access_to_secrets(context);
  for (size_t i = 0; i < uses.size(); ++i) {
    const auto& use = uses[i];
    if (permitted.contains({use.ns, use.name}) || (access && access->may(use.ns, use.name))) continue;
    if (causes.size() == kMostFaults) {
      faults.push_back(
          fmt::format("and {} more references to secrets, not all of which were checked", uses.size() - i));
      break;
    }
    auto fault = fmt::format(
        "user {} may not get secret {} in namespace {}; use a secret that you may read, or have somebody write this "
        "who may",
        quoted(context.user == nullptr ? "" : context.user->name), quoted(shorten(use.name, kLongestShownName)),
        quoted(shorten(use.ns, kLongestShownName)));
    causes.push_back({"FieldValueForbidden", fault, use.field});
    faults.push_back(use.field + ": " + std::move(fault));
  }
  if (faults.empty()) return {};
  auto error = refusal(context, join(faults, "; "));
  error.causes = std::move(causes);
  return fail(std::move(error));
}

Result<void> permit_abandon(const Context& context) {
  if (!is_abandoned(*context.object) || (context.old != nullptr && is_abandoned(*context.old))) return {};
  if (by_catalog_controller(context)) return {};
  // As for every create, a grant that is limited to names does not extend to what does not exist yet.
  const auto name = context.old == nullptr ? std::string() : name_of(*context.object);
  if (requester_may(context, "abandon", context.plural, "", name)) return {};
  return fail(refusal(
      context, fmt::format("setting the annotation {} or removing the finalizer {} abandons what the broker holds: the "
                           "broker keeps it, may charge for it, and is not asked to end it; this needs the right "
                           "\"abandon\" on {}.{}. Delete the object and let the controller finish, or ask an operator "
                           "to grant the right",
                           kAbandonAnnotation, kCatalogFinalizer, context.plural, kCatalogGroup)));
}

}  // namespace chandler::admission
