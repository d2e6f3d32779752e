#include "client/remote/remote_access.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "json/writer.h"

namespace chandler::client {
namespace {

constexpr std::string_view kPath = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
constexpr std::string_view kSelfPath = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
constexpr std::string_view kSelf = "SelfSubjectAccessReview";

void set(json::Object& object, std::string_view key, const std::string& value) {
  if (!value.empty()) object[key] = value;
}

}  // namespace

json::Value access_review(const auth::Attributes& attributes) {
  json::Object spec;
  if (attributes.user != nullptr) {
    set(spec, "user", attributes.user->name);
    set(spec, "uid", attributes.user->uid);
    if (!attributes.user->groups.empty()) {
      json::Array groups;
      for (const auto& group : attributes.user->groups) groups.emplace_back(group);
      spec["groups"] = std::move(groups);
    }
    json::Object extra;
    for (const auto& [key, values] : attributes.user->extra) {
      json::Array list;
      for (const auto& value : values) list.emplace_back(value);
      extra[key] = std::move(list);
    }
    if (!extra.empty()) spec["extra"] = std::move(extra);
  }
  json::Object wish;
  set(wish, "verb", attributes.verb);
  if (attributes.is_resource) {
    set(wish, "group", attributes.group);
    set(wish, "version", attributes.version);
    set(wish, "resource", attributes.resource);
    set(wish, "subresource", attributes.subresource);
    set(wish, "name", attributes.name);
    set(wish, "namespace", attributes.namespace_);
  } else {
    set(wish, "path", attributes.path);
  }
  spec[attributes.is_resource ? "resourceAttributes" : "nonResourceAttributes"] = std::move(wish);
  const std::string kind(attributes.user == nullptr ? kSelf : "SubjectAccessReview");
  return json::Object{{"apiVersion", "authorization.k8s.io/v1"}, {"kind", kind}, {"spec", std::move(spec)}};
}

RemoteAccess::RemoteAccess(std::shared_ptr<Sender> sender, const Clock& clock, AccessOptions options)
    : sender_(std::move(sender)),
      clock_(clock),
      options_(options),
      back_off_(options.first_delay, options.last_delay) {}

Access::Decision RemoteAccess::may(const auth::Attributes& attributes) {
  auto review = json::write(access_review(attributes));  // says by its kind whom it is about
  const auto now = clock_.mono();
  {
    MutexLock lock(mutex_);
    const auto it = known_.find(review);
    if (it != known_.end() && (it->second.decision == Decision::kUnknown || now < it->second.until)) {
      return it->second.decision;
    }
    make_room(now);
    known_[review] = Known();
  }
  ask(review);
  return Decision::kUnknown;
}

void RemoteAccess::on_changed(std::function<void()> changed) {
  MutexLock lock(mutex_);
  changed_.push_back(std::move(changed));
}

void RemoteAccess::make_room(MonoTime now) {
  if (known_.size() < options_.max_answers) return;
  std::erase_if(known_, [&](const auto& entry) {
    return entry.second.decision != Decision::kUnknown && entry.second.until <= now;
  });
  if (known_.size() < options_.max_answers) return;
  std::erase_if(known_, [](const auto& entry) { return entry.second.decision != Decision::kUnknown; });
}

void RemoteAccess::ask(const std::string& review) {
  Sender::Message message;
  message.method = "POST";
  // The kind is the second member of the canonical text; nothing that a user chose stands before it.
  message.path = review.find(fmt::format("\"kind\":\"{}\"", kSelf)) < review.find("\"spec\"") ? kSelfPath : kPath;
  message.body = review;
  sender_->send(std::move(message), [this, review](const Result<json::Value>& answer) { on_answer(review, answer); });
}

void RemoteAccess::on_answer(const std::string& review, const Result<json::Value>& answer) {
  const auto* status = answer.ok() ? json::find(*answer, "status") : nullptr;
  const auto allowed = status == nullptr ? std::nullopt : json::bool_at(*status, "allowed");
  if (!allowed) {
    log::warn("the server could not be asked what somebody may do; trying again",
              {{"why", answer.ok() ? "its answer has no status" : std::string_view(answer.error().message)}});
    return sender_->tasks().post_after(back_off_.next(), [this, review] { ask(review); });
  }
  back_off_.reset();
  std::vector<std::function<void()>> changed;
  {
    MutexLock lock(mutex_);
    known_[review] = {*allowed ? Decision::kAllowed : Decision::kDenied,
                      clock_.mono() + (*allowed ? options_.allowed_for : options_.denied_for)};
    changed = changed_;
  }
  for (const auto& tell : changed) tell();
}

}  // namespace chandler::client
