// Objects that reconcilers have looked into lately. Whoever reads the same state of the same object again gets the same
// Object, which is parsed already: a class or a broker is parsed once and not once for each of its instances. Bounded
// by the bytes of the documents; the longest unused go first. Belongs to the engine's thread.
#pragma once

#include <list>
#include <unordered_map>

#include "client/object.h"

namespace chandler::controller {

class ParsedObjects {
 public:
  explicit ParsedObjects(size_t most_bytes) : most_bytes_(most_bytes) {}
  ParsedObjects(const ParsedObjects&) = delete;
  ParsedObjects& operator=(const ParsedObjects&) = delete;

  // The Object that was given before for the same document, else this one, from now on.
  client::Object share(client::Object object);
  size_t size() const { return places_.size(); }

 private:
  void drop_last();

  const size_t most_bytes_;
  size_t bytes_ = 0;
  std::list<client::Object> objects_;  // the most recently used in front
  // A document that is held here keeps its address to itself.
  std::unordered_map<const registry::Document*, std::list<client::Object>::iterator> places_;
};

}  // namespace chandler::controller
