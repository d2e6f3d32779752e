#include "client/remote/kind_store.h"

#include <algorithm>
#include <set>
#include <utility>

namespace chandler::client {

using registry::Document;
using registry::DocumentPtr;
using registry::Revision;

namespace {

registry::ReadingPtr reading_of(const registry::Kind& kind) {
  auto reading = std::make_shared<registry::Reading>();
  reading->fields = kind.storage_version().selectable;
  return reading;
}

}  // namespace

KindStore::KindStore(registry::KindPtr kind) : kind_(std::move(kind)), objects_(reading_of(*kind_)) {}

DocumentPtr KindStore::get(std::string_view ns, std::string_view name) const {
  ReadLock lock(mutex_);
  return objects_.get(kind_->namespaced ? ns : "", name);
}

std::vector<DocumentPtr> KindStore::list(const registry::Query& query) const {
  std::vector<DocumentPtr> out;
  ReadLock lock(mutex_);
  objects_.scan(query, {}, 0, [&](const DocumentPtr& document) {
    out.push_back(document);
    return true;
  });
  return out;
}

Revision KindStore::seen() const {
  ReadLock lock(mutex_);
  return seen_;
}

bool KindStore::listed() const {
  ReadLock lock(mutex_);
  return listed_;
}

void KindStore::remove_from(const DocumentPtr& document, DocumentChanges& changes) {
  const std::string ns(document->ns());
  const std::string name(document->name());
  changes.push_back({document, nullptr});
  objects_.apply(nullptr, ns, name, document->revision(), false);
}

void KindStore::put_into(DocumentPtr document, DocumentChanges& changes) {
  auto before = objects_.get(document->ns(), document->name());
  if (before != nullptr && before->uid() != document->uid()) {
    remove_from(before, changes);
    before = nullptr;
  }
  const auto& now = *document;
  objects_.apply(document, now.ns(), now.name(), now.revision(), false);
  changes.push_back({std::move(before), std::move(document)});
}

DocumentChanges KindStore::replace(std::vector<DocumentPtr> documents, Revision revision) {
  DocumentChanges changes;
  std::set<registry::ObjectKey> there;
  for (const auto& document : documents) there.insert(registry::key_of(*document));
  WriteLock lock(mutex_);
  std::vector<DocumentPtr> gone;
  objects_.scan({}, {}, 0, [&](const DocumentPtr& document) {
    if (!there.contains(registry::key_of(*document))) gone.push_back(document);
    return true;
  });
  for (const auto& document : gone) remove_from(document, changes);
  for (auto& document : documents) {
    const auto before = objects_.get(document->ns(), document->name());
    const bool same =
        before != nullptr && before->uid() == document->uid() && before->revision() == document->revision();
    if (!same) put_into(std::move(document), changes);
  }
  seen_ = revision;  // also when it is lower: a server that was restored starts over
  listed_ = true;
  return changes;
}

DocumentChanges KindStore::put(DocumentPtr document) {
  DocumentChanges changes;
  WriteLock lock(mutex_);
  const auto before = objects_.get(document->ns(), document->name());
  seen_ = std::max(seen_, document->revision());
  const bool known =
      before != nullptr && before->uid() == document->uid() && before->revision() >= document->revision();
  if (!known) put_into(std::move(document), changes);
  return changes;
}

DocumentChanges KindStore::remove(const Document& last) {
  DocumentChanges changes;
  WriteLock lock(mutex_);
  seen_ = std::max(seen_, last.revision());
  const auto before = objects_.get(last.ns(), last.name());
  if (before != nullptr && before->uid() == last.uid()) remove_from(before, changes);
  return changes;
}

void KindStore::advance(Revision revision) {
  WriteLock lock(mutex_);
  seen_ = std::max(seen_, revision);
}

}  // namespace chandler::client
