// What a broker says is hostile until it has been through here: the one rule for every text of a broker on its way to
// an object, an event or a log line. First values that it must not repeat are hidden, then what is not shown is made
// visible, and last it is cut, so that nothing is cut through the middle of a value. Data that go back to the broker
// (IDs, operations, parameters, schemas) or to a Secret (credentials) are no texts and stay as they are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/visible_text.h"
#include "osb/answer.h"
#include "osb/mask.h"
#include "osb/sensitive.h"

namespace chandler::osb {

class BrokerText {
 public:
  // Of more than this no mask is made.
  static constexpr size_t kMostSensitive = 128 * 1024;

  explicit BrokerText(const Sensitive& sensitive);

  // For conditions, events and names of things; `most` bytes and "..." when there is more. A text that may repeat what
  // nobody can name is withheld, and that is said instead.
  std::string line(std::string_view text, size_t most) const;
  // For names and tags: whole, in one line.
  std::string label(std::string_view text) const;
  // For descriptions, which may have line ends.
  std::string prose(std::string_view text) const;
  // Metadata: members with a name that is not visible are left out, all texts are cleaned.
  json::Value cleaned(const json::Value& value) const;

  bool withholds() const { return !missing_.empty(); }
  // Whether it may be stored as it is: visible, and nothing that must not be repeated.
  bool is_clean(std::string_view text) const;
  // Empty when people may follow it, otherwise what is wrong, without repeating any of it.
  std::string link_fault(std::string_view url) const;

  // As line() for a text that the broker has no part in, or hardly any: what can be named is hidden, the rest is shown.
  std::string own_line(std::string_view text, size_t most) const;

 private:
  std::string shown(std::string_view text, Lines lines) const;

  const std::string missing_;
  const Mask mask_;
};

// Makes the texts of an answer fit to be shown: error, description, failure, dashboard_url and the tag of a catalog.
// The body stays as it is; what it holds besides goes through BrokerText where it is read.
void clean(Answer& answer, const Sensitive& sensitive);

}  // namespace chandler::osb
