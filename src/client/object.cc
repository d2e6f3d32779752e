#include "client/object.h"

#include <utility>

#include "base/check.h"

namespace chandler::client {
namespace {

constexpr size_t kValuePerByte = 3;  // memory of a parsed document per byte of its text, about

}  // namespace

Object::Object(registry::DocumentPtr document) {
  if (document == nullptr) return;
  auto shared = std::make_shared<Shared>();
  shared->document = std::move(document);
  shared_ = std::move(shared);
}

const json::Value& Object::value() const {
  CH_CHECK(shared_ != nullptr);
  if (shared_->parsed == nullptr) {
    // In one piece of memory and not one for each string: it is read, and goes as a whole.
    const auto& document = *shared_->document;
    const size_t bytes = document.bytes().size() - document.managed_fields().size();
    auto storage = boost::json::make_shared_resource<boost::json::monotonic_resource>(kValuePerByte * bytes);
    shared_->parsed = std::make_unique<json::Value>(document.parse_unmanaged(std::move(storage)));
  }
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
