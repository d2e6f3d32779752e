#include "brokers/volumes/volume_pools.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/file.h"
#include "base/log.h"
#include "brokers/volumes/loop_mount.h"

namespace chandler::brokers {
namespace {

constexpr unsigned kPassable = 0711;  // one has to know a name to get anywhere
constexpr unsigned kPrivate = 0700;
constexpr uint64_t kBlock = 4096;
constexpr uint64_t kSmallestImage = uint64_t{8} * 1024 * 1024;  // a journal has to fit
constexpr size_t kLongestId = 128;
constexpr std::string_view kImageSuffix = ".img";
constexpr std::string_view kFresh = ".new";  // behind it, while the image is being made

bool is_id(std::string_view id) {
  return !id.empty() && id.size() <= kLongestId && id.front() != '-' && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
}

Result<struct statvfs> measure(const FileHandle& root, const VolumeOrder& order) {
  struct statvfs room {};
  if (root.calls().room_at(root.get(), room) != 0) return system_error("measuring pool", order.pool);
  return room;
}

// What can never fit is refused at once; what does not fit now is a matter of waiting.
Result<void> check_total(const FileHandle& root, const VolumeOrder& order) {
  CH_TRY_LET(room, measure(root, order));
  const uint64_t total = static_cast<uint64_t>(room.f_blocks) * room.f_frsize;
  if (order.bytes > total) {
    return bad_request(
        fmt::format("{} bytes are more than the disk of pool {} has ({})", order.bytes, order.pool, total));
  }
  return {};
}

// Images have their blocks from the beginning, so what is free has not been promised to another one.
Result<void> check_free(const FileHandle& root, const VolumeOrder& order, uint64_t bytes) {
  CH_TRY_LET(room, measure(root, order));
  const uint64_t free = static_cast<uint64_t>(room.f_bavail) * room.f_frsize;
  if (bytes <= free) return {};
  Error error = internal_error(fmt::format(
      "{} bytes are asked for, and the disk of pool {} has {} left; delete volumes or enlarge the disk, and "
      "it is tried again",
      bytes, order.pool, free));
  error.reason = Reason::kServiceUnavailable;
  return error;
}

}  // namespace

std::string_view form_name(VolumeForm form) { return form == VolumeForm::kImage ? "image" : "directory"; }

Result<std::unique_ptr<VolumePools>> VolumePools::open(std::vector<PoolPlace> places, const FileCalls& calls) {
  auto pools = std::unique_ptr<VolumePools>(new VolumePools(std::move(places)));
  for (const auto& place : pools->places_) {
    auto opened = open_pool(place, calls);
    if (!opened.ok()) {
      return internal_error(
          fmt::format("volume pool {} at {}: {}", place.name, place.directory, opened.error().message));
    }
    // Two names of one directory, which their texts did not show.
    for (const auto& [name, other] : pools->pools_) {
      if (other.path != opened->path) continue;
      return internal_error(
          fmt::format("volume pool {} at {}: pool {} has this directory", place.name, place.directory, name));
    }
    mount_all(*opened);
    pools->pools_.emplace(place.name, std::move(opened).value());
  }
  return pools;
}

Result<VolumePools::Pool> VolumePools::open_pool(const PoolPlace& place, const FileCalls& calls) {
  CH_TRY(make_directories(place.directory, kPassable));
  std::error_code fault;
  // The operator may well point at a link; from here on there are none.
  const auto path = std::filesystem::canonical(place.directory, fault);
  if (fault) return internal_error(fault.message());
  Pool pool;
  pool.path = path.string();
  pool.root = FileHandle(calls.open_at(AT_FDCWD, pool.path.c_str(), O_RDONLY | O_DIRECTORY, 0), calls);
  if (!pool.root) return system_error("opening", pool.path);
  CH_TRY_LET(volumes, make_directory(pool.root, "volumes", kPassable));
  CH_TRY_LET(images, make_directory(pool.root, "images", kPrivate));
  CH_TRY_LET(mounts, make_directory(pool.root, "mounts", kPassable));
  pool.volumes = std::move(volumes);
  pool.images = std::move(images);
  pool.mounts = std::move(mounts);
  return pool;
}

// After a restart of the machine the images are there and nothing is mounted.
void VolumePools::mount_all(const Pool& pool) {
  std::error_code fault;
  for (std::filesystem::directory_iterator entry(pool.path + "/images", fault), end; !fault && entry != end;
       entry.increment(fault)) {
    const auto name = entry->path().filename().string();
    if (!name.ends_with(kImageSuffix)) continue;
    const auto id = name.substr(0, name.size() - kImageSuffix.size());
    if (!is_id(id)) continue;
    if (auto mounted = mount_image(pool, id); !mounted.ok()) {
      log::error("a volume cannot be mounted", {{"volume", id}, {"error", mounted.error().message}});
    }
  }
}

Result<void> VolumePools::mount_image(const Pool& pool, const std::string& id) {
  CH_TRY_LET(mounted, loop::is_mounted(pool.mounts, id));
  if (mounted) return {};
  CH_TRY_LET(directory, make_directory(pool.mounts, id, kPrivate));
  CH_TRY_LET(image, open_file(pool.images, id + std::string(kImageSuffix), O_RDWR));
  return loop::mount(image, directory);
}

Result<const VolumePools::Pool*> VolumePools::find(const std::string& pool, const std::string& id) const {
  if (!is_id(id)) return bad_request("the name of a volume consists of letters, digits and '-'");
  const auto found = pools_.find(pool);
  if (found != pools_.end()) return &found->second;
  return not_found({"", "volume pools", pool, ""});
}

Result<std::string> VolumePools::make(const VolumeOrder& order) {
  CH_TRY_LET(pool, find(order.pool, order.id));
  CH_TRY(check_total(pool->root, order));
  if (order.form == VolumeForm::kImage) return make_image(*pool, order);
  CH_TRY(make_directory(pool->volumes, order.id, order.mode));
  return fmt::format("{}/volumes/{}", pool->path, order.id);
}

Result<std::string> VolumePools::make_image(const Pool& pool, const VolumeOrder& order) {
  if (const auto lacks = loop::missing(); !lacks.empty()) {
    return bad_request(fmt::format("volumes of form image cannot be made on this machine: {}", lacks));
  }
  const auto image = order.id + std::string(kImageSuffix);
  CH_TRY_LET(there, exists(pool.images, image));
  if (!there) {
    const auto fresh = image + std::string(kFresh);
    const auto bytes = (std::max(order.bytes, kSmallestImage) + kBlock - 1) / kBlock * kBlock;
    CH_TRY(remove_file(pool.images, fresh));
    CH_TRY(check_free(pool.root, order, bytes));
    if (auto filled = fill_image(pool, fresh, bytes); !filled.ok()) {
      // What cannot be completed gives its space back; the next attempt would remove it as well.
      if (auto removed = remove_file(pool.images, fresh); !removed.ok()) {
        log::warn("a half-made volume stays", {{"volume", order.id}, {"error", removed.error().message}});
      }
      return filled.error();
    }
    // Only what is complete gets its name.
    if (pool.images.calls().rename_at(pool.images.get(), fresh.c_str(), pool.images.get(), image.c_str()) != 0) {
      return system_error("renaming", fresh);
    }
  }
  CH_TRY(sync_directory(pool.images));  // also when it was there: whoever named it may have failed before this
  CH_TRY(mount_image(pool, order.id));
  CH_TRY(make_directory(pool.mounts, order.id, order.mode));  // the root of what is mounted
  return fmt::format("{}/mounts/{}", pool.path, order.id);
}

Result<void> VolumePools::fill_image(const Pool& pool, const std::string& name, uint64_t bytes) {
  CH_TRY_LET(file, open_file(pool.images, name, O_RDWR | O_CREAT | O_EXCL));
  return loop::format(file, fmt::format("{}/images/{}", pool.path, name), bytes, pool.path + "/images/mkfs.log");
}

Result<void> VolumePools::remove(const std::string& pool_name, const std::string& id) {
  CH_TRY_LET(pool, find(pool_name, id));
  CH_TRY(remove_tree(pool->volumes, id));
  CH_TRY(loop::unmount(pool->mounts, id));
  const auto image = id + std::string(kImageSuffix);
  CH_TRY(remove_file(pool->images, image));
  CH_TRY(remove_file(pool->images, image + std::string(kFresh)));
  CH_TRY(sync_directory(pool->images));
  return remove_tree(pool->mounts, id);
}

}  // namespace chandler::brokers
