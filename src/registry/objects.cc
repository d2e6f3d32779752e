#include "registry/objects.h"

#include <future>
#include <utility>

#include <fmt/format.h>

#include "auth/system_users.h"
#include "base/check.h"
#include "base/ids.h"
#include "base/spare_text.h"
#include "base/text.h"
#include "json/writer.h"
#include "meta/schema.h"
#include "registry/object_rules.h"
#include "registry/write_stage.h"

namespace chandler::registry {
namespace {

constexpr int kGenerateTries = 8;
constexpr size_t kGenerateBase = 58;
constexpr size_t kUsualBytes = 2048;   // of an object: enough for most
constexpr size_t kUsualGrowth = 1024;  // by an update
// Of an object that grows. A body has a bound of its own; this one is for what many requests add up to: patches, and
// one record of fields for everybody who applies.
constexpr size_t kMostBytes = 16 * 1024 * 1024;
// Of an object that the store's thread prepares again itself after a lost race.
constexpr size_t kMostToRetryAtOnce = 64 * 1024;

// The object as it is stored, in memory that an earlier write has left. With a text, managedFields are that, and the
// object gets a place for them.
std::string bytes_of(json::Value& object, std::string_view managed_text, size_t about = kUsualBytes) {
  std::string bytes = take_spare_text();
  bytes.reserve(about);
  if (managed_text.empty()) {
    json::write_to(bytes, object);
  } else {
    const auto& place = metadata_of(object)["managedFields"];
    json::write_to(bytes, object, place, managed_text);
  }
  return bytes;
}

// Compared as it will be stored: versions of a custom resource may differ in what they know.
bool changes_desired_state(const WriteRequest& request, const json::Value& object, const json::Value& old) {
  const auto& kind = *request.kind;
  if (request.version->storage || kind.crd_uid.empty()) {
    return desired_state_differs(*request.version, kind.builtin, object, old);
  }
  json::Value stored(object, json::Storage());
  // When the defaults do not fit, both states lack the same ones, or the write is refused before it is stored.
  static_cast<void>(convert_to_stored(kind, *request.version, stored));
  return desired_state_differs(*request.version, kind.builtin, stored, old);
}

Objects::Done into(std::promise<Result<WriteResult>>& promise) {
  return [&promise](Result<WriteResult> result) { promise.set_value(std::move(result)); };
}

}  // namespace

const std::shared_ptr<const auth::User>& nobody() {
  static const auto nobody = std::make_shared<const auth::User>();
  return nobody;
}

Objects::Objects(storage::Store& store, const Cache& cache, const storage::Keyring* keyring, Admission& admission,
                 const Clock& clock)
    : store_(store), cache_(cache), keyring_(keyring), admission_(admission), clock_(clock) {}

void Objects::create(std::shared_ptr<WriteRequest> request, json::Value object, Done done) {
  auto attempt = std::make_shared<Attempt>();
  attempt->request = std::move(request);
  attempt->done = std::move(done);
  attempt->body.emplace(std::move(object));
  auto& metadata = metadata_of(*attempt->body);
  if (const auto* rv = metadata.if_contains("resourceVersion");
      rv != nullptr && rv->is_string() && !rv->get_string().empty()) {
    return attempt->fail_with(bad_request("resourceVersion should not be set on objects to be created"));
  }
  const std::string name = json::string_or(attempt->body->at("metadata"), "name");
  if (name.empty()) {
    attempt->generate_base = json::string_or(attempt->body->at("metadata"), "generateName").substr(0, kGenerateBase);
  } else {
    attempt->request->name = name;
  }
  try_create(attempt);
}

void Objects::try_create(const std::shared_ptr<Attempt>& attempt) {
  auto& request = *attempt->request;
  // Only a generated name is tried again, with another suffix.
  json::Value object = attempt->generate_base.empty() ? std::move(*attempt->body) : *attempt->body;
  if (attempt->generate_base.empty()) attempt->body.reset();  // an empty value would hold the memory of the request
  attempt->warnings.clear();
  if (!attempt->generate_base.empty()) {
    request.name = attempt->generate_base + name_suffix(5);
    metadata_of(object)["name"] = request.name;
  }
  if (auto conformed = conform(request, object, attempt->warnings); !conformed.ok()) {
    return attempt->fail_with(std::move(conformed).error());
  }
  begin_life(request, clock_.now(), object);
  if (auto filled = fill_defaults(*request.version, object); !filled.ok()) {
    return attempt->fail_with(std::move(filled).error());
  }

  Stage stage(*this, *attempt, Operation::kCreate, nullptr, std::move(object), json::Value());
  if (auto admitted = admission_.mutate(stage.admission); !admitted.ok()) {
    return attempt->fail_with(std::move(admitted).error());
  }
  pass(attempt, stage, Reviewer::Phase::kMutate, &Objects::check_create);
}

void Objects::check_create(const std::shared_ptr<Attempt>& attempt, Stage& stage) {
  const auto& request = *attempt->request;
  meta::FieldErrors errors;
  validate_object(request, stage.object, nullptr, errors);
  if (auto admitted = admission_.validate(stage.admission, errors); !admitted.ok()) {
    return attempt->fail_with(std::move(admitted).error());
  }
  if (!errors.empty()) return attempt->fail_with(invalid(request.kind->kind_ref(request.name), errors.take()));
  pass(attempt, stage, Reviewer::Phase::kValidate, &Objects::store_create);
}

void Objects::store_create(const std::shared_ptr<Attempt>& attempt, Stage& stage) {
  auto managed = stage.record_text(*attempt);
  if (!managed.ok()) return attempt->fail_with(std::move(managed).error());
  attempt->managed_text = std::move(managed).value();
  attempt->lost = &Objects::lost_create;
  commit(attempt, std::move(stage.object), nullptr, false);
}

void Objects::lost_create(const std::shared_ptr<Attempt>& attempt) {
  const auto& request = *attempt->request;
  // Who wanted to update, found nothing and then came second is an update after all.
  if ((attempt->put_body || request.application != nullptr) && ++attempt->tries < kUpdateTries)
    return try_update(attempt);
  if (!attempt->generate_base.empty() && ++attempt->tries < kGenerateTries) return try_create(attempt);
  const auto there = cache_.get(*request.kind, request.ns, request.name);
  auto error = already_exists(request.kind->ref(request.name), there != nullptr && there->deleting());
  if (!attempt->generate_base.empty()) error.retry_after_seconds = 1;
  attempt->fail_with(std::move(error));
}

void Objects::update(std::shared_ptr<WriteRequest> request, Transform transform, const json::Value* body, Done done,
                     KnownState known) {
  auto attempt = std::make_shared<Attempt>();
  attempt->request = std::move(request);
  attempt->transform = std::move(transform);
  attempt->done = std::move(done);
  if (body != nullptr) attempt->put_body = *body;
  try_update(attempt, known);
}

void Objects::create_by_applying(const std::shared_ptr<Attempt>& attempt) {
  const auto& request = *attempt->request;
  attempt->body.emplace(request.application->config);
  if (const auto uid = json::string_or(attempt->body->at("metadata"), "uid"); !uid.empty()) {
    return attempt->fail_with(
        conflict(request.kind->ref(request.name),
                 fmt::format("Precondition failed: UID in precondition: {}, but there is no such object", uid)));
  }
  metadata_of(*attempt->body).erase("resourceVersion");
  try_create(attempt);
}

void Objects::try_update(const std::shared_ptr<Attempt>& attempt, KnownState known) {
  auto& request = *attempt->request;
  const auto& kind = *request.kind;
  attempt->warnings.clear();
  const auto current = cache_.get(kind, request.ns, request.name);
  const bool applies = request.application != nullptr;
  if (current == nullptr) {
    const bool creates = applies || (attempt->put_body && kind.create_on_update);
    if (!creates || !request.subresource.empty() || !request.may_create) {
      return attempt->fail_with(not_found(kind.ref(request.name)));
    }
    if (auto allowed = request.may_create(); !allowed.ok()) return attempt->fail_with(std::move(allowed).error());
    if (applies) return create_by_applying(attempt);
    attempt->body.emplace(*attempt->put_body);
    metadata_of(*attempt->body).erase("resourceVersion");
    // Who names a uid means an object that was there; another one of its name is not what they want.
    if (const auto uid = json::string_or(attempt->body->at("metadata"), "uid"); !uid.empty()) {
      return attempt->fail_with(
          conflict(kind.ref(request.name),
                   fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: ", uid)));
    }
    return try_create(attempt);
  }
  attempt->record = FieldRecord();
  const bool is_known = known.document == current.get() && !applies;
  json::Value parsed = is_known ? json::Value() : current->parse_unmanaged(attempt->memory_for(*current));
  if (!is_known) metadata_of(parsed).erase("resourceVersion");
  const json::Value& old = is_known ? *known.value : parsed;
  attempt->record.before = current->managed_fields();
  auto wanted = applies ? apply_onto(request, old, clock_.now(), attempt->record) : attempt->transform(*current);
  if (!wanted.ok()) return attempt->fail_with(std::move(wanted).error());
  json::Value object = std::move(wanted).value();
  if (!applies) attempt->record.wanted = take_managed_fields(object);

  auto& metadata = metadata_of(object);
  const std::string version_text = json::string_or(object.at("metadata"), "resourceVersion");
  const bool is_put = attempt->put_body.has_value();
  if (version_text.empty() && is_put && !kind.unconditional_update) {
    meta::FieldErrors errors;
    errors.invalid(meta::Path("metadata").member("resourceVersion"), json::Value(0), "must be specified for an update");
    return attempt->fail_with(invalid(kind.kind_ref(request.name), errors.take()));
  }
  if (!version_text.empty()) {
    const auto number = parse_int64(version_text);
    if (!number) {
      return attempt->fail_with(bad_request(
          fmt::format("metadata.resourceVersion: Invalid value: {}: must be a number", quoted(version_text))));
    }
    if (*number != current->revision()) return attempt->fail_with(modified(kind.ref(request.name)));
  }
  if (const auto uid = json::string_or(object.at("metadata"), "uid");
      (is_put || applies) && !uid.empty() && uid != current->uid()) {
    return attempt->fail_with(conflict(
        kind.ref(request.name),
        fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", uid, current->uid())));
  }
  metadata.erase("resourceVersion");

  if (auto conformed = conform(request, object, attempt->warnings); !conformed.ok()) {
    return attempt->fail_with(std::move(conformed).error());
  }
  keep_system_fields(request, old, object);
  if (auto filled = fill_defaults(*request.version, object); !filled.ok()) {
    return attempt->fail_with(std::move(filled).error());
  }
  attempt->pinned = is_put && !version_text.empty();
  Stage stage(*this, *attempt, Operation::kUpdate, current, std::move(object), std::move(parsed),
              is_known ? known.value : nullptr);
  if (auto admitted = admission_.mutate(stage.admission); !admitted.ok()) {
    return attempt->fail_with(std::move(admitted).error());
  }
  pass(attempt, stage, Reviewer::Phase::kMutate, &Objects::check_update);
}

void Objects::check_update(const std::shared_ptr<Attempt>& attempt, Stage& stage) {
  const auto& request = *attempt->request;
  const auto& kind = *request.kind;
  auto& object = stage.object;
  const auto& old = stage.old();
  if (kind.generation && request.subresource.empty() && changes_desired_state(request, object, old)) {
    const auto generation = json::int_at(old.at("metadata"), "generation").value_or(0);
    metadata_of(object)["generation"] = generation + 1;
  }
  meta::FieldErrors errors;
  validate_object(request, object, &old, errors);
  if (auto admitted = admission_.validate(stage.admission, errors); !admitted.ok()) {
    return attempt->fail_with(std::move(admitted).error());
  }
  if (!errors.empty()) return attempt->fail_with(invalid(kind.kind_ref(request.name), errors.take()));
  pass(attempt, stage, Reviewer::Phase::kValidate, &Objects::store_update);
}

void Objects::store_update(const std::shared_ptr<Attempt>& attempt, Stage& stage) {
  const auto& kind = *attempt->request->kind;
  const auto& current = stage.current;
  auto& object = stage.object;
  set_storage_version(kind, object);
  if (auto converted = convert_to_stored(kind, *attempt->request->version, object); !converted.ok()) {
    return attempt->fail_with(std::move(converted).error());
  }
  auto managed = stage.record_text(*attempt);
  if (!managed.ok()) return attempt->fail_with(std::move(managed).error());
  attempt->managed_text = std::move(managed).value();
  const bool finished = current->deleting() && may_be_removed(kind, object);
  attempt->written = bytes_of(object, attempt->managed_text, current->bytes().size() + kUsualGrowth);
  if (!finished && current->stored_equals(attempt->written)) {
    // Nothing changed: no write, no event, the same resourceVersion.
    WriteResult result;
    result.document = current;
    result.warnings = std::move(attempt->warnings);
    return attempt->done(std::move(result));
  }
  if (attempt->written.size() > kMostBytes && attempt->written.size() > current->bytes().size()) {
    return attempt->fail_with(
        too_large(fmt::format("{} {} would grow to {} bytes, managedFields included; an object may have {} at most",
                              kind.kind, quoted(attempt->request->name), attempt->written.size(), kMostBytes)));
  }
  attempt->lost = &Objects::lost_update;
  commit(attempt, std::move(object), current.get(), finished);
}

void Objects::lost_update(const std::shared_ptr<Attempt>& attempt) {
  if (attempt->pinned || ++attempt->tries >= kUpdateTries) {
    return attempt->fail_with(modified(attempt->request->kind->ref(attempt->request->name)));
  }
  try_update(attempt);
}

bool Objects::fail_if_overdue(const std::shared_ptr<Attempt>& attempt) const {
  const auto& due = attempt->request->due;
  if (!due || clock_.mono() < *due) return false;
  attempt->fail_with(timeout("request did not complete within the requested timeout; nothing was written"));
  return true;
}

void Objects::lose(const std::shared_ptr<Attempt>& attempt) {
  if (fail_if_overdue(attempt)) return;
  const bool is_large = attempt->document != nullptr && attempt->document->bytes().size() > kMostToRetryAtOnce;
  if (!is_large || !run_elsewhere_) return (this->*attempt->lost)(attempt);
  run_elsewhere_([this, attempt] { (this->*attempt->lost)(attempt); });
}

// A deletion always goes through, also the mark of one that has to wait. The reserve is for those who finish deletions:
// the server's own controllers, and whoever changes an object that is being deleted. Their Events can wait.
Result<void> Objects::claim_growth(Attempt& attempt, const Document* before) const {
  const auto& document = *attempt.document;
  const size_t old = before == nullptr ? 0 : before->memory();
  const bool was_deleting = before != nullptr && before->deleting();
  if (document.memory() <= old || (document.deleting() && !was_deleting)) return {};
  const auto& request = *attempt.request;
  const bool is_system = request.user->in_group(auth::kSystemAccounts) || request.user->name == auth::kServer;
  const bool is_event = request.kind->plural == "events";
  const size_t growth = document.memory() - old;
  CH_TRY(cache_.quota().claim(growth,
                              was_deleting || (is_system && !is_event) ? Quota::Use::kReserve : Quota::Use::kOrdinary));
  attempt.claimed = growth;
  return {};
}

void Objects::give_claim_back(Attempt& attempt) const {
  if (attempt.claimed != 0) cache_.quota().settle(0, std::exchange(attempt.claimed, 0));
}

void Objects::commit(const std::shared_ptr<Attempt>& attempt, json::Value object, const Document* before, bool remove) {
  if (fail_if_overdue(attempt)) return;
  const Revision expected = before == nullptr ? storage::Write::kAbsent : before->revision();
  const auto& request = *attempt->request;
  const auto& kind = *request.kind;
  set_storage_version(kind, object);
  if (attempt->written.empty()) {
    // What is removed need not fit: it is only shown once more.
    if (auto converted = convert_to_stored(kind, *request.version, object); !converted.ok() && !remove) {
      return attempt->fail_with(std::move(converted).error());
    }
  }
  std::string bytes = std::exchange(attempt->written, {});
  if (bytes.empty()) bytes = bytes_of(object, attempt->managed_text);

  if (request.dry_run) {
    if (expected == storage::Write::kAbsent && cache_.get(kind, request.ns, request.name) != nullptr) {
      return lose(attempt);
    }
    WriteResult result;
    if (expected != storage::Write::kAbsent) {
      metadata_of(object)["resourceVersion"] = std::to_string(expected);
      bytes = bytes_of(object, attempt->managed_text);
    }
    result.bytes = std::move(bytes);
    result.uid = json::string_or(object.at("metadata"), "uid");
    result.created = expected == storage::Write::kAbsent;
    result.removed = remove;
    result.warnings = std::move(attempt->warnings);
    return attempt->done(std::move(result));
  }

  attempt->published = nullptr;
  attempt->reading = cache_.reading(kind);
  // What reading does by the schema may make another document than the one at hand.
  const bool as_written = attempt->reading != nullptr && attempt->reading->schema == nullptr;
  auto draft = Document::draft(bytes, object, store_.revision() + 1,
                               as_written ? attempt->reading->fields : kind.storage_version().selectable);
  if (!draft.ok()) return attempt->fail_with(std::move(draft).error());
  attempt->document = std::move(draft).value();

  storage::Write write;
  write.key = kind.key(request.ns, request.name);
  write.expected = expected;
  write.more_follows = request.more_follows && attempt->tries == 0;  // who lost a race comes too late for its burst
  if (!remove) {
    if (auto claimed = claim_growth(*attempt, before); !claimed.ok()) {
      return attempt->fail_with(std::move(claimed).error());
    }
    write.value = kind.encrypted && keyring_ != nullptr ? keyring_->seal(bytes, write.key) : std::move(bytes);
    if (!as_written) attempt->reading = nullptr;  // the cache has to read it
    write.attachment = attempt;
  }
  auto finish = [this, attempt, remove, expected](Result<storage::WriteOutcome> outcome) {
    give_claim_back(*attempt);  // unless the cache has
    if (!outcome.ok()) return attempt->fail_with(std::move(outcome).error());
    if (!outcome->committed) return lose(attempt);
    auto document = shown(*attempt, remove, outcome->revision);
    if (!document.ok()) return attempt->fail_with(std::move(document).error());
    WriteResult result;
    result.document = std::move(document).value();
    result.created = expected == storage::Write::kAbsent;
    result.removed = remove;
    result.warnings = std::move(attempt->warnings);
    result.uid = result.document->uid();
    // Whoever keeps the remains must not be kept by them in turn.
    attempt->transform = nullptr;
    result.remains = attempt;
    const Done done = std::move(attempt->done);
    done(std::move(result));
  };
  store_.commit(std::move(write), std::move(finish));
}

Result<DocumentPtr> Objects::shown(Attempt& attempt, bool removed, Revision revision) const {
  if (attempt.published != nullptr) return attempt.published;
  const auto& request = *attempt.request;
  if (!removed) {
    auto there = cache_.get(*request.kind, request.ns, request.name);
    if (there != nullptr && there->revision() == revision) return there;
  }
  // Removed, or changed again within the same batch: the answer is still what this request stored.
  if (attempt.document->finish(revision)) return DocumentPtr(std::move(attempt.document));
  return Document::from_stored(attempt.document->stored(), revision, request.kind->storage_version().selectable);
}

Result<WriteResult> Objects::create_and_wait(std::shared_ptr<WriteRequest> request, json::Value object) {
  std::promise<Result<WriteResult>> promise;
  create(std::move(request), std::move(object), into(promise));
  return promise.get_future().get();
}

Result<WriteResult> Objects::update_and_wait(std::shared_ptr<WriteRequest> request, Transform transform) {
  std::promise<Result<WriteResult>> promise;
  update(std::move(request), std::move(transform), nullptr, into(promise));
  return promise.get_future().get();
}

Result<WriteResult> Objects::remove_and_wait(std::shared_ptr<WriteRequest> request, DeleteOptions options) {
  std::promise<Result<WriteResult>> promise;
  remove(std::move(request), std::move(options), into(promise));
  return promise.get_future().get();
}

}  // namespace chandler::registry
