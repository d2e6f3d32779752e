// Which kinds anybody has looked at. Reconcilers declare more kinds than they usually read (ConfigMaps, for the rare
// record of something abandoned), and a change of a kind that was never read concerns nobody: it need not wake the
// engine. Noted before the read, so whoever changes an object after it was read finds the note. Thread-safe.
#pragma once

#include <atomic>
#include <map>
#include <set>

#include "client/object.h"

namespace chandler::controller {

class Interest {
 public:
  // The kinds that are followed, before anybody reads or asks.
  explicit Interest(const std::set<client::KindName>& followed) {
    for (const auto& kind : followed) noted_[kind] = false;
  }
  Interest(const Interest&) = delete;
  Interest& operator=(const Interest&) = delete;

  // For good: how a kind stops to be of interest is not worth the look. False: it is not one of those followed.
  bool note(const client::KindName& kind) {
    const auto found = noted_.find(kind);
    if (found == noted_.end()) return false;
    // Others look all the time: it is written once, not at every read.
    if (!found->second) found->second = true;
    return true;
  }
  bool has(const client::KindName& kind) const {
    const auto found = noted_.find(kind);
    return found != noted_.end() && found->second;
  }

 private:
  std::map<client::KindName, std::atomic<bool>> noted_;
};

}  // namespace chandler::controller
