// A look at an object that is not parsed yet: most classes and plans of a catalog have nothing that a keeper cares
// about, and their bytes show it. Pure.
#pragma once

#include <initializer_list>
#include <string_view>

#include "base/find_text.h"
#include "client/object.h"

namespace chandler::reconcilers {

// Whether any of the texts occurs in the object's bytes. Names of members stand there as they are, since the writer
// escapes nothing in them; so do members with a plain value ("free":true).
inline bool mentions(const client::Object& object, std::initializer_list<std::string_view> texts) {
  const auto bytes = object.document().bytes();
  for (const auto text : texts) {
    if (find_text(bytes, text) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace chandler::reconcilers
