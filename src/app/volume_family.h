// The controllers of volumes: claims, volumes, and the provisioner chandler.io/local for the disks of this machine.
#pragma once

#include <string>
#include <vector>

#include "app/family.h"

namespace chandler::app {

// What operators can say about it; the names are those of the flags. Plain data.
struct VolumeOptions {
  std::vector<std::string> local_volume_pools;  // NAME=DIR[,zone=ZONE]
  std::string default_pool_directory;           // of the pool "default", when none is named; empty: no pool
  std::string volume_node;                      // the name of this machine as a node; empty: its host name
  bool bind_volumes = true;                     // false where the cluster itself binds claims
};

// An error names the flag. Directories are made when it starts.
Result<Family> volume_family(const VolumeOptions& options);

}  // namespace chandler::app
