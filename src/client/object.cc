#include "client/object.h"

#include <utility>

#include "base/check.h"

namespace chandler::client {
namespace {

constexpr size_t kValuePerByte = 3;  // memory of a parsed document per byte of its text, about

}  // namespace

void Object::share_value() {
  if (document_ != nullptr && parsed_ == nullptr) parsed_ = std::make_shared<Parsed>();
}

const json::Value& Object::value() const {
  CH_CHECK(document_ != nullptr);
  if (parsed_ == nullptr) parsed_ = std::make_shared<Parsed>();
  if (!*parsed_) {
    // In one piece of memory and not one for each string: it is read, and goes as a whole.
    const size_t bytes = document_->bytes().size() - document_->managed_fields().size();
    auto storage = boost::json::make_shared_resource<boost::json::monotonic_resource>(kValuePerByte * bytes);
    parsed_->emplace(document_->parse_unmanaged(std::move(storage)));
  }
  return **parsed_;
}

bool Object::operator==(const Object& other) const {
  if (document_ == other.document_) return true;
  if (document_ == nullptr || other.document_ == nullptr) return false;
  return revision() == other.revision() && uid() == other.uid();
}

}  // namespace chandler::client
