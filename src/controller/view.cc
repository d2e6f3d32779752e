#include "controller/view.h"

namespace chandler::controller {
namespace {

constexpr client::KindName kDefinitions{"apiextensions.k8s.io", "customresourcedefinitions"};
constexpr size_t kUsualReads = 8;

}  // namespace

View::View(const client::State& state, client::Access& access, WallTime now, const CallOutcome* outcome, Reader* reader,
           ParsedObjects* parsed)
    : state_(state), access_(access), now_(now), outcome_(outcome), reader_(reader), parsed_(parsed) {
  reads_.reserve(kUsualReads);
}

void View::note(Read read) {
  if (reader_ != nullptr) {
    reader_->about_to_read(read.kind);
    if (!state_.has_listed(read.kind)) is_incomplete_ = true;
  }
  reads_.push_back(std::move(read));
}

client::Object View::shared(client::Object object) {
  if (parsed_ != nullptr) return parsed_->share(std::move(object));
  object.share_value();
  return object;
}

client::Object View::get(const client::KindName& kind, std::string_view ns, std::string_view name) {
  note({kind, std::string(ns), std::string(name), "", ""});
  return shared(state_.get(kind, ns, name));
}

std::vector<client::Object> View::list(const client::KindName& kind, const client::Selection& selection) {
  Read read{kind, selection.ns, "", "", ""};
  if (!selection.fields.empty()) {
    read.field = selection.fields.front().first;
    read.value = selection.fields.front().second;
  }
  note(std::move(read));
  auto objects = state_.list(kind, selection);
  for (auto& object : objects) object = shared(std::move(object));
  return objects;
}

std::optional<client::ServedKind> View::find_kind(std::string_view group, std::string_view version,
                                                  std::string_view word) {
  note({kDefinitions, "", "", "", ""});
  return state_.find_kind(group, version, word);
}

client::Access::Decision View::may(const auth::Attributes& attributes) {
  asked_for_access_ = true;
  const auto decision = access_.may(attributes);
  if (decision == client::Access::Decision::kUnknown) waits_for_access_ = true;
  return decision;
}

}  // namespace chandler::controller
