// Volumes on the disks of this machine, in named pools. A volume is a directory, or a file system of its own in a file,
// which cannot outgrow its size. Everything is idempotent: what is there already is fine, what is gone already too, and
// whatever a crash left half-made is completed or removed by the same call again.
//
// In the directory of a pool:
//   volumes/ID      a directory volume
//   images/ID.img   a file system (ID.img.new while it is being made; nobody else may look in here)
//   mounts/ID       where that is mounted
// IDs are checked, and nothing follows a symbolic link, so nothing outside of the pool is ever touched.
//
// One call at a time; blocks on the disk.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "brokers/volumes/file_handle.h"
#include "brokers/volumes/pool_place.h"

namespace chandler::brokers {

enum class VolumeForm { kDirectory, kImage };
std::string_view form_name(VolumeForm form);  // "directory", "image"

struct VolumeOrder {
  std::string pool;
  std::string id;  // "pvc-" and a UID: letters, digits and '-'
  VolumeForm form = VolumeForm::kDirectory;
  uint64_t bytes = 0;
  unsigned mode = 0770;  // of the directory that users see
};

class VolumePools {
 public:
  // Makes the directories that are missing and mounts the images that are there.
  static Result<std::unique_ptr<VolumePools>> open(std::vector<PoolPlace> places,
                                                   const FileCalls& calls = system_file_calls());

  const std::vector<PoolPlace>& places() const { return places_; }

  // The path that users write to. Errors: kNotFound (no such pool), kBadRequest (such a volume cannot be made here),
  // kServiceUnavailable (no room now), kInternalError (the disk).
  Result<std::string> make(const VolumeOrder& order);
  Result<void> remove(const std::string& pool, const std::string& id);

 private:
  struct Pool {
    std::string path;  // absolute, without links
    FileHandle root, volumes, images, mounts;
  };

  explicit VolumePools(std::vector<PoolPlace> places) : places_(std::move(places)) {}
  static Result<Pool> open_pool(const PoolPlace& place, const FileCalls& calls);
  static Result<void> mount_image(const Pool& pool, const std::string& id);
  static void mount_all(const Pool& pool);
  static Result<std::string> make_image(const Pool& pool, const VolumeOrder& order);
  static Result<void> fill_image(const Pool& pool, const std::string& name, uint64_t bytes);
  Result<const Pool*> find(const std::string& pool, const std::string& id) const;

  const std::vector<PoolPlace> places_;
  std::map<std::string, Pool> pools_;
};

}  // namespace chandler::brokers
