#include "client/object.h"

#include <utility>

#include "base/check.h"

namespace chandler::client {

Object::Object(registry::DocumentPtr document) {
  if (document == nullptr) return;
  auto shared = std::make_shared<Shared>();
  shared->document = std::move(document);
  shared_ = std::move(shared);
}

const json::Value& Object::value() const {
  CH_CHECK(shared_ != nullptr);
  if (shared_->parsed == nullptr) shared_->parsed = std::make_unique<json::Value>(shared_->document->parse());
  return *shared_->parsed;
}

bool Object::operator==(const Object& other) const {
  if (shared_ == other.shared_) return true;
  if (shared_ == nullptr || other.shared_ == nullptr) return false;
  const auto& a = document();
  const auto& b = other.document();
  return &a == &b || (a.revision() == b.revision() && a.uid() == b.uid());
}

}  // namespace chandler::client
