// Where a pool of volumes lies, as operators say it: NAME=DIR[,zone=ZONE]. Plain data, pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace chandler::brokers {

struct PoolPlace {
  std::string name;  // a DNS label
  std::string directory;
  std::string zone;  // what volumes in it are labelled with; its name when nothing else was said

  bool operator==(const PoolPlace&) const = default;
};

Result<PoolPlace> parse_pool(std::string_view text);
// Names and directories must differ: two pools in one directory would remove each other's volumes.
Result<std::vector<PoolPlace>> parse_pools(const std::vector<std::string>& texts);

}  // namespace chandler::brokers
