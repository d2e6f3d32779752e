// Which existing server each database of ours is on. An operator may name another server later, or none: what was made
// at the old one is then neither looked for at the new one nor taken for gone. One small file for each, written before
// the database is made and removed when it is gone. Thread-safe for different tenants.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace chandler::brokers {

class TenantPlaces {
 public:
  explicit TenantPlaces(std::string directory) : directory_(std::move(directory)) {}  // made when it is needed

  Result<std::optional<std::string>> find(const std::string& tenant) const;  // "host:port"; nullopt: nothing is known
  Result<void> note(const std::string& tenant, const std::string& place) const;  // on disk when it returns
  Result<void> forget(const std::string& tenant) const;                          // fine if nothing is known

 private:
  const std::string directory_;
};

}  // namespace chandler::brokers
