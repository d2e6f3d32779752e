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

template <typename Visit>
void each_label_term(const Document& document, Visit&& visit) {
  std::string room;
  for (size_t i = 0; i < document.label_count(); ++i) {
    const auto [key, value] = document.label_at(i);
    visit(label_term(room, key, value));
  }
}

// Empty values are what most objects have; they are answered by scanning.
template <typename Visit>
void each_field_term(const Document& document, Visit&& visit) {
  std::string room;
  for (size_t i = 0; i < document.field_count(); ++i) {
    if (!document.field(i).empty()) visit(field_term(room, i, document.field(i)));
  }
}

template <typename Visit>
void each_term(const Document& document, Visit&& visit) {
  each_label_term(document, visit);
  each_field_term(document, visit);
}

bool same_labels(const Document& a, const Document& b) {
  if (a.label_count() != b.label_count()) return false;
  for (size_t i = 0; i < a.label_count(); ++i) {
    if (a.label_at(i) != b.label_at(i)) return false;
  }
  return true;
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
  meta::apply_defaults(*schema, value);
  return Document::from_stored(json::write(value), value, revision, fields);
}

DocumentPtr Collection::get(std::string_view ns, std::string_view name) const {
  const auto it = objects_.find(ObjectKey{ns, name});
  return it == objects_.end() ? nullptr : *it;
}

void Collection::add(std::string_view term, const Document& document) {
  auto place = index_.find(term);
  if (place == index_.end()) place = index_.try_emplace(std::string(term)).first;
  place->second.insert(&document);
}

void Collection::take_out(std::string_view term, const Document& document) {
  const auto place = index_.find(term);
  if (place == index_.end()) return;
  place->second.erase(&document);
  if (place->second.empty()) index_.erase(place);
}

void Collection::replace(std::string_view term, const Document& before, const Document& now) {
  const auto place = index_.find(term);
  if (place == index_.end()) return add(term, now);
  auto entry = place->second.find(&before);
  if (entry != place->second.end()) entry = place->second.erase(entry);
  place->second.insert(entry, &now);
}

void Collection::index(const Document& document) {
  each_term(document, [&](std::string_view term) { add(term, document); });
}

void Collection::unindex(const Document& document) {
  each_term(document, [&](std::string_view term) { take_out(term, document); });
}

void Collection::update_index(const Document& before, const Document& now) {
  // From one state to the next most terms stay as they are: their entries change hands.
  if (same_labels(before, now)) {
    each_label_term(now, [&](std::string_view term) { replace(term, before, now); });
  } else {
    each_label_term(before, [&](std::string_view term) { take_out(term, before); });
    each_label_term(now, [&](std::string_view term) { add(term, now); });
  }
  std::string room;
  for (size_t i = 0; i < std::max(before.field_count(), now.field_count()); ++i) {
    const auto was = before.field(i);
    const auto is = now.field(i);
    if (was == is) {
      if (!is.empty()) replace(field_term(room, i, is), before, now);
      continue;
    }
    if (!was.empty()) take_out(field_term(room, i, was), before);
    if (!is.empty()) add(field_term(room, i, is), now);
  }
}

const Event* Collection::apply(DocumentPtr now, std::string_view ns, std::string_view name, Revision revision,
                               bool keep_history, DocumentPtr* replaced) {
  DocumentPtr before;
  auto place = objects_.lower_bound(ObjectKey{ns, name});
  if (place != objects_.end() && key_of(**place) == ObjectKey{ns, name}) {
    before = *place;
    bytes_ -= before->memory();
    place = objects_.erase(place);
  }
  if (replaced != nullptr) *replaced = before;
  if (before != nullptr && now != nullptr) {
    update_index(*before, *now);
  } else if (before != nullptr) {
    unindex(*before);
  } else if (now != nullptr) {
    index(*now);
  }
  if (now != nullptr) {
    bytes_ += now->memory();
    objects_.insert(place, now);
  }
  if (!keep_history || (now == nullptr && before == nullptr)) return nullptr;
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

const Collection::Posting* Collection::posting(std::string_view term) const {
  const auto it = index_.find(term);
  return it == index_.end() ? nullptr : &it->second;
}

const Collection::Posting* Collection::candidates(const Query& query, bool& empty) const {
  const Posting* best = nullptr;
  const auto consider = [&](const Posting* found) {
    if (found == nullptr) {
      empty = true;
    } else if (best == nullptr || found->size() < best->size()) {
      best = found;
    }
  };
  std::string room;
  for (const auto& term : query.terms()) {
    if (term.equals && !term.value.empty()) consider(posting(field_term(room, term.field, term.value)));
  }
  for (const auto& requirement : query.labels().requirements()) {
    const bool equality = requirement.op == meta::Operator::kEquals || requirement.op == meta::Operator::kIn;
    if (equality && requirement.values.size() == 1) {
      consider(posting(label_term(room, requirement.key, requirement.values.front())));
    }
  }
  return best;
}

size_t Collection::reach(const Query& query) const {
  if (query.nothing() || (!query.name().empty() && !query.ns().empty())) return 1;
  bool empty = false;
  const auto* shortest = candidates(query, empty);
  if (empty) return 0;
  return shortest == nullptr ? objects_.size() : shortest->size();
}

void Collection::scan_now(const Query& query, const ObjectKey& start,
                          const std::function<bool(const DocumentPtr&)>& visit) const {
  if (query.nothing()) return;
  if (!query.name().empty() && !query.ns().empty()) {
    const auto found = get(query.ns(), query.name());
    if (found != nullptr && key_of(*found) >= start && query.matches(*found)) visit(found);
    return;
  }
  const ObjectKey from = std::max(start, ObjectKey{query.ns(), ""});
  const auto past_namespace = [&](const Document& d) { return !query.ns().empty() && d.ns() != query.ns(); };

  bool empty = false;
  if (const auto* shortest = candidates(query, empty); empty) {
    return;
  } else if (shortest != nullptr) {
    for (auto it = shortest->lower_bound(from); it != shortest->end() && !past_namespace(**it); ++it) {
      if (query.matches(**it) && !visit(DocumentPtr(*it))) return;
    }
    return;
  }
  for (auto it = objects_.lower_bound(from); it != objects_.end() && !past_namespace(**it); ++it) {
    if (query.matches(**it) && !visit(*it)) return;
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
    const auto key = key_of(**it);
    while (more && overlay != then.end() && overlay->first < key) visit_then((overlay++)->second);
    if (!more) return;
    if (overlay != then.end() && overlay->first == key) {
      visit_then((overlay++)->second);
    } else if (query.matches(**it)) {
      more = visit(*it);
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
  for (const auto& document : objects_) {
    CH_TRY_LET(anew, reading->read(document->stored(), document->revision()));
    made.push_back(std::move(anew));
  }
  reading_ = std::move(reading);
  index_.clear();
  forget(revision);
  bytes_ = 0;
  absl::btree_set<DocumentPtr, Less> objects;
  for (auto& document : made) {
    bytes_ += document->memory();
    index(*document);
    objects.insert(std::move(document));
  }
  objects_ = std::move(objects);
  return {};
}

}  // namespace chandler::registry
