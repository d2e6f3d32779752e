#include "auth/authenticator.h"

#include <set>

namespace chandler::auth {

Error refused(std::string_view why) {
  Error error = unauthorized();
  error.message = why;
  return error;
}

std::vector<std::string> common_audiences(const std::vector<std::string>& have,
                                          const std::vector<std::string>* wanted) {
  if (wanted == nullptr) return have;
  constexpr size_t kFew = 8;  // the usual one or two are searched as they are
  std::set<std::string_view> many;
  if (have.size() > kFew) many.insert(have.begin(), have.end());
  std::vector<std::string> common;
  for (const auto& audience : *wanted) {
    const bool found =
        many.empty() ? std::find(have.begin(), have.end(), audience) != have.end() : many.contains(audience);
    if (found) common.push_back(audience);
  }
  return common;
}

Result<std::optional<Identity>> ClientCertificates::authenticate(const Credentials& credentials) const {
  if (credentials.common_name.empty()) return std::optional<Identity>();
  Identity identity;
  identity.user.name = credentials.common_name;
  if (credentials.organizations != nullptr) identity.user.groups = *credentials.organizations;
  return std::optional(std::move(identity));
}

Result<std::optional<Identity>> Chain::authenticate(const Credentials& credentials) const {
  if (!credentials.offered()) return std::optional<Identity>();
  std::optional<Error> first_refusal;
  for (const auto& method : methods_) {
    auto answer = method->authenticate(credentials);
    if (!answer.ok()) {
      if (!first_refusal) first_refusal = std::move(answer).error();
      continue;
    }
    if (!answer->has_value()) continue;
    auto& groups = (*answer)->user.groups;
    if (!(*answer)->user.in_group(kAuthenticated)) groups.emplace_back(kAuthenticated);
    return answer;
  }
  return first_refusal ? std::move(*first_refusal) : refused("no authentication method knows the credential");
}

bool Chain::ask_again_later(const Credentials& credentials, std::function<void()> again) const {
  return std::any_of(methods_.begin(), methods_.end(),
                     [&](const auto& method) { return method->ask_again_later(credentials, again); });
}

}  // namespace chandler::auth
