#include "brokers/database/tenant_places.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fmt/format.h>

#include "base/file.h"
#include "base/private_file.h"

namespace chandler::brokers {

Result<std::optional<std::string>> TenantPlaces::find(const std::string& tenant) const {
  const auto path = directory_ + "/" + tenant;
  if (!file_exists(path)) return std::optional<std::string>();
  CH_TRY_LET(place, read_file(path));
  return std::optional(std::move(place));
}

Result<void> TenantPlaces::note(const std::string& tenant, const std::string& place) const {
  CH_TRY(secure_directory(directory_));
  return write_file(directory_ + "/" + tenant, place, 0600);
}

Result<void> TenantPlaces::forget(const std::string& tenant) const {
  const auto path = directory_ + "/" + tenant;
  // It may come back after a crash: then what it names is looked for once more, and is not there.
  if (std::remove(path.c_str()) == 0 || errno == ENOENT) return {};
  return unavailable(fmt::format("cannot remove {}: {}", path, std::generic_category().message(errno)));
}

}  // namespace chandler::brokers
