#include "registry/collection.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "base/check.h"
#include "json/reader.h"
#include "json/writer.h"
#include "meta/schema.h"

namespace chandler::registry {
namespace {

// Index terms: a label "l<key>=<value>", a selectable field "f<position>=<value>". The view is of `room`.
std::string_view label_term(std::string& room, std::string_view key, std::string_view value) {
  room.assign("l").append(key).append("=").append(value);
  return room;
}

std::string_view field_term(std::string& room, size_t position, std::string_view value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, position).ptr;
  room.assign("f").append(digits, end).append("=").append(value);
  return room;
}

// The terms of `document` that `other` does not have at the same place: those that changed, and now and then some that
// only moved. Null: all. Empty fields are what most objects have; they are answered by scanning.
template <typename Visit>
void each_other_term(const Document& document, const Document* other, Visit&& visit) {
  std::string room;
  const size_t labels = other == nullptr ? 0 : other->label_count();
  for (size_t i = 0; i < document.label_count(); ++i) {
    const auto label = document.label_at(i);
    if (i < labels && other->label_at(i) == label) continue;
    visit(label_term(room, label.first, label.second));
  }
  for (size_t i = 0; i < document.field_count(); ++i) {
    const auto value = document.field(i);
    if (value.empty() || (other != nullptr && other->field(i) == value)) continue;
    visit(field_term(room, i, value));
  }
}

// What an event keeps alive beyond the current objects.
size_t superseded_bytes(const Event& event) {
  return sizeof(Event) + (event.before == nullptr ? 0 : event.before->memory()) +
         (event.deleted ? event.now->memory() : 0);
}

}  // namespace

Result<DocumentPtr> Reading::read(std::string_view stored, Revision revision) const {
  if (schema == nullptr) return Document::from_stored(stored, revision, fields);
  CH_TRY_LET(value, json::parse(stored));
  meta::prune(*schema, value, nullptr);
  meta::apply_defaults(*schema, value);  // those that fit; see fill_defaults
  return Document::from_stored(json::write(value), value, revision, fields);
}

DocumentPtr Collection::get(std::string_view ns, std::string_view name) const {
  const auto it = objects_.find(ObjectKey{ns, name});
  return it == objects_.end() ? nullptr : **it;
}

Collection::Slot* Collection::new_slot(DocumentPtr document) {
  if (vacant_.empty()) return &slots_.emplace_back(std::move(document));
  Slot* slot = vacant_.back();
  vacant_.pop_back();
  *slot = std::move(document);
  return slot;
}

void Collection::add(std::string_view term, Slot& slot) {
  auto place = index_.find(term);
  if (place == index_.end()) place = index_.try_emplace(std::string(term)).first;
  place->second.insert(&slot);
}

void Collection::take_out(std::string_view term, Slot& slot) {
  const auto place = index_.find(term);
  if (place == index_.end()) return;
  place->second.erase(&slot);
  if (place->second.empty()) index_.erase(place);
}

void Collection::update_index(Slot& slot, const Document* before, const Document* now) {
  // What moved is in both: so first out, then in.
  if (before != nullptr) each_other_term(*before, now, [&](std::string_view term) { take_out(term, slot); });
  if (now != nullptr) each_other_term(*now, before, [&](std::string_view term) { add(term, slot); });
}

const Event* Collection::apply(DocumentPtr now, std::string_view ns, std::string_view name, Revision revision,
                               bool keep_history, DocumentPtr* replaced) {
  const ObjectKey key{ns, name};
  auto place = objects_.lower_bound(key);
  DocumentPtr before;
  if (place != objects_.end() && key_of(***place) == key) before = **place;
  if (replaced != nullptr) *replaced = before;
  if (now == nullptr && before == nullptr) return nullptr;

  if (before == nullptr) place = objects_.insert(place, new_slot(now));
  Slot& slot = **place;
  update_index(slot, before.get(), now.get());
  if (before != nullptr) bytes_ -= before->memory();
  if (now != nullptr) {
    bytes_ += now->memory();
    slot = now;
  } else {
    objects_.erase(place);
    slot = nullptr;
    vacant_.push_back(&slot);
  }
  if (!keep_history) return nullptr;
  Event event;
  event.revision = revision;
  event.deleted = now == nullptr;
  event.now = event.deleted ? before->at_revision(revision, reading_->fields) : std::move(now);
  event.before = std::move(before);
  history_bytes_ += superseded_bytes(event);
  history_.push_back(std::move(event));
  while (history_bytes_ > max_history_bytes_ && history_.size() > 1) forget_oldest();
  return &history_.back();
}

const Collection::SlotSet* Collection::candidates(const Query& query) const {
  const SlotSet* best = &objects_;
  const auto consider = [&](std::string_view term) {
    const auto found = index_.find(term);
    if (found == index_.end()) return false;
    if (found->second.size() < best->size()) best = &found->second;
    return true;
  };
  std::string room;
  for (const auto& term : query.terms()) {
    if (term.value.empty()) continue;
    if (!consider(field_term(room, term.field, term.value))) return nullptr;
  }
  for (const auto& requirement : query.labels().requirements()) {
    const bool equality = requirement.op == meta::Operator::kEquals || requirement.op == meta::Operator::kIn;
    if (!equality || requirement.values.size() != 1) continue;
    if (!consider(label_term(room, requirement.key, requirement.values.front()))) return nullptr;
  }
  return best;
}

size_t Collection::reach(const Query& query) const {
  if (query.nothing() || (!query.name().empty() && !query.ns().empty())) return 1;
  const auto* among = candidates(query);
  return among == nullptr ? 0 : among->size();
}

void Collection::scan_now(const Query& query, const ObjectKey& start,
                          const std::function<bool(const DocumentPtr&)>& visit) const {
  if (query.nothing()) return;
  if (!query.name().empty() && !query.ns().empty()) {
    const auto found = get(query.ns(), query.name());
    if (found != nullptr && key_of(*found) >= start && query.matches(*found)) visit(found);
    return;
  }
  const auto* among = candidates(query);
  if (among == nullptr) return;
  for (auto it = among->lower_bound(std::max(start, ObjectKey{query.ns(), ""})); it != among->end(); ++it) {
    const DocumentPtr& document = **it;
    if (!query.ns().empty() && document->ns() != query.ns()) return;
    if (query.matches(*document) && !visit(document)) return;
  }
}

void Collection::scan(const Query& query, const ObjectKey& start, Revision at,
                      const std::function<bool(const DocumentPtr&)>& visit) const {
  if (at == 0 || history_.empty() || history_.back().revision <= at) return scan_now(query, start, visit);

  // The state of then is the state of now with every key that changed since put back: the first change after `at`
  // knows what was there before.
  std::map<ObjectKey, DocumentPtr> then;
  changes(at, [&](const Event& event) {
    then.emplace(key_of(*event.now), event.before);
    return true;
  });
  auto overlay = then.lower_bound(start);
  bool more = true;
  const auto visit_then = [&](const DocumentPtr& document) {
    if (document != nullptr && query.matches(*document)) more = visit(document);
    return more;
  };
  // Walks the unfiltered state of now, since what matched then may not match any more.
  for (auto it = objects_.lower_bound(start); more && it != objects_.end(); ++it) {
    const DocumentPtr& document = **it;
    const auto key = key_of(*document);
    while (more && overlay != then.end() && overlay->first < key) visit_then((overlay++)->second);
    if (!more) return;
    if (overlay != then.end() && overlay->first == key) {
      visit_then((overlay++)->second);
    } else {
      visit_then(document);
    }
  }
  while (more && overlay != then.end()) visit_then((overlay++)->second);
}

void Collection::changes(Revision after, const std::function<bool(const Event&)>& visit) const {
  auto it = std::upper_bound(history_.begin(), history_.end(), after,
                             [](Revision revision, const Event& event) { return revision < event.revision; });
  for (; it != history_.end(); ++it) {
    if (!visit(*it)) return;
  }
}

void Collection::forget_oldest() {
  history_floor_ = std::max(history_floor_, history_.front().revision);
  history_bytes_ -= superseded_bytes(history_.front());
  history_.pop_front();
}

void Collection::forget(Revision floor) {
  while (!history_.empty() && history_.front().revision <= floor) forget_oldest();
  history_floor_ = std::max(history_floor_, floor);
  if (history_.empty()) history_.shrink_to_fit();
}

Result<void> Collection::reindex(ReadingPtr reading, Revision revision) {
  std::vector<DocumentPtr> made;
  made.reserve(objects_.size());
  for (const auto* slot : objects_) {
    CH_TRY_LET(anew, reading->read((*slot)->stored(), (*slot)->revision()));
    made.push_back(std::move(anew));
  }
  reading_ = std::move(reading);
  index_.clear();
  forget(revision);
  bytes_ = 0;
  auto next = made.begin();
  for (auto* slot : objects_) {
    *slot = std::move(*next++);
    bytes_ += (*slot)->memory();
    update_index(*slot, nullptr, slot->get());
  }
  return {};
}

}  // namespace chandler::registry
