// What is known of one kind of a remote server: its objects with their indexes, and up to which revision. Written by
// the client's thread, read by any. Thread-safe.
#pragma once

#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "registry/collection.h"
#include "registry/kind.h"

namespace chandler::client {

struct DocumentChange {
  registry::DocumentPtr before;
  registry::DocumentPtr now;
};
using DocumentChanges = std::vector<DocumentChange>;

class KindStore {
 public:
  explicit KindStore(registry::KindPtr kind);

  const registry::Kind& kind() const { return *kind_; }
  registry::DocumentPtr get(std::string_view ns, std::string_view name) const CH_EXCLUDES(mutex_);
  std::vector<registry::DocumentPtr> list(const registry::Query& query) const CH_EXCLUDES(mutex_);
  // Every change up to here is in; 0 before the first list.
  registry::Revision seen() const CH_EXCLUDES(mutex_);
  bool listed() const CH_EXCLUDES(mutex_);

  // The whole state as of `revision`. What changed, objects that are gone included; an object that was deleted and made
  // anew under its name is told as both.
  DocumentChanges replace(std::vector<registry::DocumentPtr> documents, registry::Revision revision)
      CH_EXCLUDES(mutex_);
  DocumentChanges put(registry::DocumentPtr document) CH_EXCLUDES(mutex_);
  DocumentChanges remove(const registry::Document& last) CH_EXCLUDES(mutex_);
  void advance(registry::Revision revision) CH_EXCLUDES(mutex_);

 private:
  void put_into(registry::DocumentPtr document, DocumentChanges& changes) CH_REQUIRES(mutex_);
  void remove_from(const registry::DocumentPtr& document, DocumentChanges& changes) CH_REQUIRES(mutex_);

  const registry::KindPtr kind_;
  mutable SharedMutex mutex_;
  registry::Collection objects_ CH_GUARDED_BY(mutex_);
  registry::Revision seen_ CH_GUARDED_BY(mutex_) = 0;
  bool listed_ CH_GUARDED_BY(mutex_) = false;
};

}  // namespace chandler::client
