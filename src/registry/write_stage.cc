#include "registry/write_stage.h"

#include <exception>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "json/writer.h"
#include "meta/schema.h"
#include "registry/object_rules.h"

namespace chandler::registry {
namespace {

// What the server has given a new object is not for others to change.
void keep_beginning(const WriteRequest& request, const json::Value& begun, json::Value& object) {
  const auto keep = [](json::Object& to, const json::Value& from, std::string_view key) {
    if (const auto* value = json::find(from, key)) {
      to[key] = *value;
    } else {
      to.erase(key);
    }
  };
  auto& metadata = metadata_of(object);
  for (const std::string_view key : {"uid", "creationTimestamp", "generation", "namespace", "deletionTimestamp",
                                     "deletionGracePeriodSeconds", "selfLink", "managedFields", "resourceVersion"}) {
    keep(metadata, begun.at("metadata"), key);
  }
  if (request.version->has_status) keep(object.as_object(), begun, "status");
}

}  // namespace

Objects::Stage::Stage(Objects& objects, Attempt& attempt, Operation operation, DocumentPtr current_document,
                      json::Value wanted, json::Value before, const json::Value* borrowed)
    : current(std::move(current_document)),
      object(std::move(wanted)),
      objects_(objects),
      old_(std::move(before)),
      borrowed_old_(borrowed) {
  const auto& request = *attempt.request;
  admission.operation = operation;
  admission.kind = request.asked != nullptr ? request.asked.get() : request.kind.get();
  admission.version = request.version;
  admission.ns = request.ns;
  admission.name = request.name;
  admission.subresource = request.subresource;
  admission.through_scale = request.managed_subresource == "scale" && request.version->scale.has_value();
  admission.with_status = request.with_status;
  admission.replaces = attempt.put_body.has_value();
  admission.user = request.user.get();
  admission.dry_run = request.dry_run;
  admission.warnings = &attempt.warnings;
  write = &request;
  if (operation == Operation::kDelete) options = &attempt.options;
  if (current != nullptr) revision = current->revision();
  point_at_own();
}

Objects::Stage::Stage(Stage&& other) noexcept
    : Review(std::move(other)),
      current(std::move(other.current)),
      object(std::move(other.object)),
      objects_(other.objects_),
      old_(std::move(other.old_)),
      borrowed_old_(other.borrowed_old_),
      recorded_(other.recorded_) {
  point_at_own();
}

void Objects::Stage::point_at_own() {
  admission.object = admission.operation == Operation::kDelete ? nullptr : &object;
  admission.old = admission.operation == Operation::kCreate ? nullptr : &old();
}

std::shared_ptr<Objects::Stage> Objects::Stage::kept() {
  if (auto self = weak_from_this().lock()) return self;
  auto kept = std::make_shared<Stage>(std::move(*this));
  if (const auto* borrowed = std::exchange(kept->borrowed_old_, nullptr)) {
    kept->old_ = *borrowed;
    metadata_of(kept->old_).erase("resourceVersion");
    kept->point_at_own();
  }
  return kept;
}

Result<void> Objects::Stage::record_fields(Attempt& attempt) {
  if (std::exchange(recorded_, true)) return {};
  const auto now = objects_.clock_.now();
  if (admission.operation == Operation::kCreate) {
    CH_TRY_LET(text, record_of_new(*attempt.request, object, now));
    managed = read_record(text);
  } else if (admission.operation == Operation::kUpdate) {
    set_storage_version(*attempt.request->kind, object);  // which is not what may tell it from the old one
    managed_before = read_record(attempt.record.before);
    managed = read_record(record_of_change(*attempt.request, old(), now, attempt.record, object));
  }
  return {};
}

Result<std::string> Objects::Stage::record_text(Attempt& attempt) {
  const bool creates = admission.operation == Operation::kCreate;
  if (!recorded_) {
    const auto now = objects_.clock_.now();
    if (creates) return record_of_new(*attempt.request, object, now);
    return record_of_change(*attempt.request, old(), now, attempt.record, object);
  }
  // What others have taken back did not happen, and nobody did it again.
  if (!creates && json::equal(old(), object) && differ_in_times_only(managed, managed_before)) managed = managed_before;
  const bool any = managed && managed->is_array() && !managed->get_array().empty();
  return any ? json::write(*managed) : std::string();
}

void Objects::Stage::take_over_record(const std::optional<json::Value>& wanted) {
  if (!recorded_) return;
  if (!wanted) return managed.reset();
  if (managed && json::equal(*wanted, *managed)) return;
  auto read = meta::read_managed_fields(*wanted);
  if (!read.ok()) {
    return admission.warnings->push_back(
        fmt::format("metadata.managedFields as an admission webhook left them cannot be read and are ignored: {}",
                    read.error().message));
  }
  managed = meta::write_managed_fields(*read);
}

Result<void> Objects::Stage::revise(json::Value changed) {
  if (!changed.is_object()) return internal_error("what came back is no object");
  // Unknown fields and repeated keys were the client's to hear about, when it was told about its own.
  WriteRequest request = *write;
  request.validation = FieldValidation::kIgnore;
  const auto name = json::string_or(object.at("metadata"), "name");
  metadata_of(changed);
  if (json::string_or(changed.at("metadata"), "name") != name) {
    return internal_error(fmt::format("metadata.name of {} {} cannot be changed", request.kind->kind, quoted(name)));
  }
  metadata_of(changed).erase("resourceVersion");
  const auto record = take_managed_fields(changed);
  if (!admission.through_scale) take_over_record(record);  // a Scale has no place for it
  if (auto conformed = conform(request, changed, *admission.warnings); !conformed.ok()) {
    return internal_error(std::move(conformed).error().message);
  }
  if (admission.operation == Operation::kCreate) {
    keep_beginning(request, object, changed);
  } else {
    keep_system_fields(request, old(), changed);
  }
  CH_TRY(fill_defaults(*request.version, changed));
  object = std::move(changed);
  return objects_.admission_.mutate(admission);
}

void Objects::reviewed(const std::shared_ptr<Attempt>& attempt, Stage& stage, Reviewer& reviewer, Reviewer::Phase phase,
                       Step next) {
  if (!reviewer.wants(stage.admission, phase)) return (this->*next)(attempt, stage);
  // What was asked for is recorded before others make something of it, and they see the record.
  if (auto recorded = stage.record_fields(*attempt); !recorded.ok()) {
    return attempt->fail_with(std::move(recorded).error());
  }
  const auto kept = stage.kept();
  attempt->request->more_follows = false;  // its writer has gone on when the answer comes
  reviewer.review(kept, phase, [this, attempt, kept, next](Result<void> result) {
    if (!result.ok()) return attempt->fail_with(std::move(result).error());
    if (auto still = admission_.permit_still(kept->admission); !still.ok()) {
      return attempt->fail_with(std::move(still).error());
    }
    // Here is no handler around it that would catch what a rule throws.
    try {
      (this->*next)(attempt, *kept);
    } catch (const std::exception& e) {
      log::error("a write threw after its review", {{"kind", attempt->request->kind->kind}, {"error", e.what()}});
      attempt->fail_with(internal_error("an unexpected fault"));
    }
  });
}

}  // namespace chandler::registry
