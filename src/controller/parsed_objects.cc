#include "controller/parsed_objects.h"

#include <utility>

namespace chandler::controller {

client::Object ParsedObjects::share(client::Object object) {
  if (!object) return object;
  object.share_value();
  const registry::Document* const document = &object.document();
  if (const auto known = places_.find(document); known != places_.end()) {
    objects_.splice(objects_.begin(), objects_, known->second);
    return objects_.front();
  }
  const size_t bytes = document->bytes().size();
  if (bytes > most_bytes_) return object;
  while (bytes_ + bytes > most_bytes_) drop_last();
  bytes_ += bytes;
  objects_.push_front(object);
  places_.emplace(document, objects_.begin());
  return object;
}

void ParsedObjects::drop_last() {
  const registry::Document* const document = &objects_.back().document();
  bytes_ -= document->bytes().size();
  places_.erase(document);
  objects_.pop_back();
}

}  // namespace chandler::controller
