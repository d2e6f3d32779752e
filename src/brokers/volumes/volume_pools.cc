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
constexpr uint64_t kSmallestImage = 8 * 1024 * 1024;  // a journal has to fit
constexpr size_t kLongestId = 128;
constexpr std::string_view kImageSuffix = ".img";

bool is_id(std::string_view id) {
  return !id.empty() && id.size() <= kLongestId && id.front() != '-' && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
}

// What can never fit is refused at once; what does not fit now is a matter of waiting.
Result<void> check_room(const FileHandle& root, const VolumeOrder& order) {
  struct statvfs room {};
  if (::fstatvfs(root.get(), &room) != 0) return system_error("measuring pool", order.pool);
  const uint64_t total = static_cast<uint64_t>(room.f_blocks) * room.f_frsize;
  if (order.bytes > total) {
    return bad_request(
        fmt::format("{} bytes are more than the disk of pool {} has ({})", order.bytes, order.pool, total));
  }
  return {};
}

}  // namespace

std::string_view form_name(VolumeForm form) { return form == VolumeForm::kImage ? "image" : "directory"; }

Result<std::unique_ptr<VolumePools>> VolumePools::open(std::vector<PoolPlace> places) {
  auto pools = std::unique_ptr<VolumePools>(new VolumePools(std::move(places)));
  for (const auto& place : pools->places_) {
    auto opened = open_pool(place);
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

Result<VolumePools::Pool> VolumePools::open_pool(const PoolPlace& place) {
  CH_TRY(make_directories(place.directory, kPassable));
  std::error_code fault;
  // The operator may well point at a link; from here on there are none.
  const auto path = std::filesystem::canonical(place.directory, fault);
  if (fault) return internal_error(fault.message());
  Pool pool;
  pool.path = path.string();
  pool.root = FileHandle(::open(pool.path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
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
  if (loop::is_mounted(pool.mounts, id)) return {};
  CH_TRY_LET(directory, make_directory(pool.mounts, id, kPrivate));
  const FileHandle image(
      ::openat(pool.images.get(), (id + std::string(kImageSuffix)).c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  if (!image) return system_error("opening the image of", id);
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
  CH_TRY(check_room(pool->root, order));
  if (order.form == VolumeForm::kImage) return make_image(*pool, order);
  CH_TRY(make_directory(pool->volumes, order.id, order.mode));
  return fmt::format("{}/volumes/{}", pool->path, order.id);
}

Result<std::string> VolumePools::make_image(const Pool& pool, const VolumeOrder& order) {
  if (const auto lacks = loop::missing(); !lacks.empty()) {
    return bad_request(fmt::format("volumes of form image cannot be made on this machine: {}", lacks));
  }
  const auto image = order.id + std::string(kImageSuffix);
  if (!exists(pool.images, image)) {
    // Only what is complete gets its name.
    const auto fresh = image + ".new";
    const auto bytes = (std::max(order.bytes, kSmallestImage) + kBlock - 1) / kBlock * kBlock;
    if (::unlinkat(pool.images.get(), fresh.c_str(), 0) != 0 && errno != ENOENT) return system_error("removing", fresh);
    CH_TRY(loop::format(fmt::format("{}/images/{}", pool.path, fresh), bytes, pool.path + "/images/mkfs.log"));
    if (::renameat(pool.images.get(), fresh.c_str(), pool.images.get(), image.c_str()) != 0) {
      return system_error("renaming", fresh);
    }
    CH_TRY(sync_directory(pool.images));
  }
  CH_TRY(mount_image(pool, order.id));
  CH_TRY(make_directory(pool.mounts, order.id, order.mode));  // the root of what is mounted
  return fmt::format("{}/mounts/{}", pool.path, order.id);
}

Result<void> VolumePools::remove(const std::string& pool_name, const std::string& id) {
  CH_TRY_LET(pool, find(pool_name, id));
  CH_TRY(remove_tree(pool->volumes, id));
  CH_TRY(loop::unmount(pool->mounts, id));
  for (const auto suffix : {".img", ".img.new"}) {
    if (::unlinkat(pool->images.get(), (id + suffix).c_str(), 0) != 0 && errno != ENOENT) {
      return system_error("removing the image of", id);
    }
  }
  CH_TRY(sync_directory(pool->images));
  return remove_tree(pool->mounts, id);
}

}  // namespace chandler::brokers
