// The part of Objects that deletes.
#include <utility>

#include <fmt/format.h>

#include "registry/object_rules.h"
#include "registry/objects.h"
#include "registry/write_stage.h"

namespace chandler::registry {

void Objects::remove(std::shared_ptr<WriteRequest> request, DeleteOptions options, Done done) {
  auto attempt = std::make_shared<Attempt>();
  attempt->request = std::move(request);
  attempt->options = std::move(options);
  attempt->done = std::move(done);
  try_remove(attempt);
}

void Objects::try_remove(const std::shared_ptr<Attempt>& attempt) {
  auto& request = *attempt->request;
  const auto& kind = *request.kind;
  const auto& options = attempt->options;
  attempt->warnings.clear();
  const auto current = cache_.get(kind, request.ns, request.name);
  if (current == nullptr) return attempt->fail_with(not_found(kind.ref(request.name)));
  const auto precondition = [&](std::string_view what, std::string_view wanted, std::string_view have) {
    auto about = kind.kind_ref(request.name);
    return conflict(about, fmt::format("Precondition failed: {} in precondition: {}, {} in object meta: {}", what,
                                       wanted, what, have));
  };
  if (!options.uid.empty() && options.uid != current->uid()) {
    return attempt->fail_with(precondition("UID", options.uid, current->uid()));
  }
  const auto have_version = std::to_string(current->revision());
  if (!options.resource_version.empty() && options.resource_version != have_version) {
    return attempt->fail_with(precondition("ResourceVersion", options.resource_version, have_version));
  }
  json::Value object = current->parse();
  metadata_of(object).erase("resourceVersion");
  json::Value old = object;
  Stage stage(*this, *attempt, Operation::kDelete, current, std::move(object), std::move(old));
  stage.admission.grace_seconds = options.grace_seconds;
  pass(attempt, stage, Reviewer::Phase::kMutate, &Objects::check_remove);
}

void Objects::check_remove(const std::shared_ptr<Attempt>& attempt, Stage& stage) {
  const auto& request = *attempt->request;
  meta::FieldErrors errors;
  if (auto admitted = admission_.validate(stage.admission, errors); !admitted.ok()) {
    return attempt->fail_with(std::move(admitted).error());
  }
  if (!errors.empty()) return attempt->fail_with(invalid(request.kind->kind_ref(request.name), errors.take()));
  pass(attempt, stage, Reviewer::Phase::kValidate, &Objects::store_remove);
}

void Objects::store_remove(const std::shared_ptr<Attempt>& attempt, Stage& stage) {
  const auto& kind = *attempt->request->kind;
  const auto& current = stage.current;
  auto& object = stage.object;
  const auto& old = stage.old();
  const bool changed = mark_deleted(kind, attempt->options, clock_.now(), object);
  // A deletion that has to wait is an update; its effects on the object (a namespace's phase) are the admission's.
  stage.admission.object = &object;
  if (auto admitted = admission_.mutate(stage.admission); !admitted.ok()) {
    return attempt->fail_with(std::move(admitted).error());
  }
  const bool gone = may_be_removed(kind, object);
  if (!gone && !changed && json::equal(object, old)) {
    WriteResult result;
    result.document = current;
    result.warnings = std::move(attempt->warnings);
    return attempt->done(std::move(result));
  }
  // What is removed at once is told about as it was, without marks of a deletion that took no time; kinds that know a
  // grace period show that it was none.
  const bool as_it_was = gone && !kind.graceful;
  attempt->lost = &Objects::lost_remove;
  commit(attempt, as_it_was ? stage.take_old() : std::move(object), current.get(), gone);
}

void Objects::lost_remove(const std::shared_ptr<Attempt>& attempt) {
  if (++attempt->tries >= kUpdateTries) {
    return attempt->fail_with(modified(attempt->request->kind->ref(attempt->request->name)));
  }
  try_remove(attempt);
}

}  // namespace chandler::registry
