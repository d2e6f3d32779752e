#include "client/local/standing_rights.h"

#include <algorithm>
#include <utility>

namespace chandler::client {
namespace {

constexpr size_t kMost = 128;  // far more than one controller asks; they are looked through

}  // namespace

bool StandingRights::allow(std::string_view verb, const registry::Kind& kind, std::string_view subresource) {
  auto policy = policy_.current();
  const MutexLock lock(mutex_);
  if (policy != asked_ || answers_.size() >= kMost) answers_.clear();
  asked_ = std::move(policy);
  const auto known = std::find_if(answers_.begin(), answers_.end(), [&](const Answer& answer) {
    return answer.resource == kind.plural && answer.verb == verb && answer.subresource == subresource &&
           answer.group == kind.group;
  });
  if (known != answers_.end()) return known->allowed;

  auth::Attributes attributes;
  attributes.user = &user_;
  attributes.verb = verb;
  attributes.group = kind.group;
  attributes.resource = kind.plural;
  attributes.subresource = subresource;
  attributes.any_name = true;
  const bool allowed = asked_->authorize(attributes).allowed;
  answers_.push_back({std::string(verb), kind.group, kind.plural, std::string(subresource), allowed});
  return allowed;
}

}  // namespace chandler::client
