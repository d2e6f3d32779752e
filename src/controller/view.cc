#include "controller/view.h"

namespace chandler::controller {

View::View(const client::State& state, client::Access& access, WallTime now, const CallOutcome* outcome,
           Interest* interest, ParsedObjects* parsed)
    : state_(state), access_(access), now_(now), outcome_(outcome), interest_(interest), parsed_(parsed) {}

client::Object View::get(const client::KindName& kind, std::string_view ns, std::string_view name) {
  if (interest_ != nullptr) interest_->note(kind);
  reads_.push_back({kind, std::string(ns), std::string(name), "", ""});
  auto object = state_.get(kind, ns, name);
  return parsed_ == nullptr ? object : parsed_->share(std::move(object));
}

std::vector<client::Object> View::list(const client::KindName& kind, const client::Selection& selection) {
  Read read{kind, selection.ns, "", "", ""};
  if (!selection.fields.empty()) {
    read.field = selection.fields.front().first;
    read.value = selection.fields.front().second;
  }
  if (interest_ != nullptr) interest_->note(kind);
  reads_.push_back(std::move(read));
  auto objects = state_.list(kind, selection);
  if (parsed_ != nullptr) {
    for (auto& object : objects) object = parsed_->share(std::move(object));
  }
  return objects;
}

client::Access::Decision View::may(const auth::Attributes& attributes) {
  const auto decision = access_.may(attributes);
  if (decision == client::Access::Decision::kUnknown) waits_for_access_ = true;
  return decision;
}

}  // namespace chandler::controller
