#include "apiserver/impersonation.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "auth/attributes.h"
#include "base/text.h"

namespace chandler::apiserver {
namespace {

constexpr std::string_view kImpersonatePrefix = "impersonate-";
constexpr std::string_view kExtraPrefix = "extra-";
constexpr std::string_view kAccountPrefix = "system:serviceaccount:";
constexpr std::string_view kAuthenticationGroup = "authentication.k8s.io";
constexpr size_t kMaxTaken = 256;  // groups and values of extra, each one asked for at the policy

bool is_of_family(std::string_view header) {
  return header.size() > kImpersonatePrefix.size() &&
         equals_ignore_case(header.substr(0, kImpersonatePrefix.size()), kImpersonatePrefix);
}

// What the headers say, word for word.
struct Wish {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
  bool any = false;
};

Result<Wish> read_wish(const http::Headers& headers) {
  Wish wish;
  size_t taken = 0;
  for (const auto& [name, value] : headers.fields()) {
    if (!is_of_family(name)) continue;
    const auto what = to_lower(std::string_view(name).substr(kImpersonatePrefix.size()));
    wish.any = true;
    if (++taken > kMaxTaken) return bad_request("the request has too many Impersonate headers");
    if (what == "user" || what == "uid") {
      auto& field = what == "user" ? wish.user : wish.uid;
      if (!field.empty()) return bad_request("the request has the header Impersonate-" + what + " twice");
      field = value;
    } else if (what == "group") {
      if (value.empty()) return bad_request("the header Impersonate-Group is empty; name a group or leave it out");
      wish.groups.push_back(value);
    } else if (what.starts_with(kExtraPrefix) && what.size() > kExtraPrefix.size()) {
      // Keys may hold what a header's name may not, as percent escapes; what is no escape stands for itself.
      const auto key = std::string_view(what).substr(kExtraPrefix.size());
      wish.extra[to_lower(percent_decode(key, false).value_or(std::string(key)))].push_back(value);
    } else {
      // Ignoring it would do the work with other rights than asked for.
      return bad_request("the header Impersonate-" + what +
                         " is not known; there are -User, -Group, -Uid and -Extra-*");
    }
  }
  if (wish.any && wish.user.empty()) {
    return bad_request("Impersonate headers need an Impersonate-User: groups, uid and extra belong to a user");
  }
  return wish;
}

// Namespace and name of a service account's user name.
std::optional<std::pair<std::string, std::string>> account_of(std::string_view user) {
  if (!user.starts_with(kAccountPrefix)) return std::nullopt;
  const auto parts = split(user.substr(kAccountPrefix.size()), ':');
  if (parts.size() != 2 || parts[0].empty() || parts[1].empty()) return std::nullopt;
  return std::pair(std::string(parts[0]), std::string(parts[1]));
}

auth::Attributes taking_on(const auth::User& requester, std::string_view group, std::string_view resource,
                           std::string_view name) {
  auth::Attributes attributes;
  attributes.user = &requester;
  attributes.verb = "impersonate";
  attributes.group = group;
  attributes.resource = resource;
  attributes.name = name;
  return attributes;
}

Result<void> require_right(const auth::Policy& policy, const auth::Attributes& attributes, const ObjectRef* about) {
  if (policy.authorize(attributes).allowed) return {};
  return forbidden(about != nullptr ? *about : ObjectRef{attributes.group, attributes.resource, attributes.name, ""},
                   auth::denial(attributes));
}

void add_standing_groups(auth::User& user) {
  const bool stands = user.in_group(auth::kAuthenticated) || user.in_group(auth::kUnauthenticated);
  if (stands) return;
  user.groups.emplace_back(user.name == auth::kAnonymous ? auth::kUnauthenticated : auth::kAuthenticated);
}

}  // namespace

bool asks_to_impersonate(const http::Headers& headers) {
  return std::any_of(headers.fields().begin(), headers.fields().end(),
                     [](const auto& field) { return is_of_family(field.first); });
}

Result<std::optional<auth::User>> impersonated_user(const http::Headers& headers, const auth::User& requester,
                                                    const auth::Policy& policy, const ObjectRef& request) {
  CH_TRY_LET(wish, read_wish(headers));
  if (!wish.any) return std::optional<auth::User>();

  auto about_user = taking_on(requester, "", "users", wish.user);
  const auto account = account_of(wish.user);
  if (account) {
    about_user.resource = "serviceaccounts";
    about_user.namespace_ = account->first;
    about_user.name = account->second;
  }
  CH_TRY(require_right(policy, about_user, &request));
  for (const auto& group : wish.groups) {
    CH_TRY(require_right(policy, taking_on(requester, "", "groups", group), nullptr));
  }
  if (!wish.uid.empty()) {
    CH_TRY(require_right(policy, taking_on(requester, kAuthenticationGroup, "uids", wish.uid), nullptr));
  }
  for (const auto& [key, values] : wish.extra) {
    for (const auto& value : values) {
      auto attributes = taking_on(requester, kAuthenticationGroup, "userextras", value);
      attributes.subresource = key;
      CH_TRY(require_right(policy, attributes, nullptr));
    }
  }

  auth::User user;
  user.name = std::move(wish.user);
  user.uid = std::move(wish.uid);
  user.groups = std::move(wish.groups);
  user.extra = std::move(wish.extra);
  // An account is what it is by its groups; who names groups chooses them all.
  if (account && user.groups.empty()) user.groups = auth::service_account_groups(account->first);
  add_standing_groups(user);
  return std::optional(std::move(user));
}

}  // namespace chandler::apiserver
