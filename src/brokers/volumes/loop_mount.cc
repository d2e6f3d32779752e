#include "brokers/volumes/loop_mount.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include <fmt/format.h>

#include "brokers/supervisor/child_process.h"

namespace chandler::brokers::loop {
namespace {

constexpr std::chrono::seconds kFormatTime{120};
constexpr int kAttempts = 16;  // another process may take the free device before us

std::string program() { return find_program({"/usr/sbin/mkfs.ext4", "/sbin/mkfs.ext4"}); }

// The same file, whoever looks: a path by which the kernel finds what we hold open.
std::string path_of(const FileHandle& handle) { return fmt::format("/proc/self/fd/{}", handle.get()); }

Result<FileHandle> attach(const FileHandle& control, const FileHandle& image, std::string& device_path) {
  for (int i = 0; i < kAttempts; ++i) {
    const auto& calls = control.calls();
    const int number = calls.control(control.get(), LOOP_CTL_GET_FREE, nullptr);
    if (number < 0) return system_error("finding", "a free loop device");
    device_path = fmt::format("/dev/loop{}", number);
    FileHandle device(calls.open_at(AT_FDCWD, device_path.c_str(), O_RDWR, 0), calls);
    if (!device) return system_error("opening", device_path);
    loop_config config{};
    config.fd = static_cast<__u32>(image.get());
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
    if (calls.control(device.get(), LOOP_CONFIGURE, &config) == 0) return device;
    if (errno != EBUSY) return system_error("setting up", device_path);
  }
  return internal_error("no loop device stays free long enough");
}

}  // namespace

std::string missing() {
  if (program().empty()) return "there is no mkfs.ext4 (package e2fsprogs)";
  if (::geteuid() != 0) return "mounting needs the rights of root";
  const FileHandle control(::open("/dev/loop-control", O_RDWR | O_CLOEXEC));
  if (!control) return "there is no /dev/loop-control";
  const int number = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
  if (number < 0) return "there is no free loop device";
  const FileHandle device(::open(fmt::format("/dev/loop{}", number).c_str(), O_RDWR | O_CLOEXEC));
  return device ? "" : fmt::format("/dev/loop{} cannot be opened", number);
}

Result<void> format(const FileHandle& file, const std::string& path, uint64_t bytes, const std::string& log) {
  const auto mkfs = program();
  if (mkfs.empty()) return internal_error("there is no mkfs.ext4 (package e2fsprogs)");
  const auto& calls = file.calls();
  if (calls.reserve(file.get(), bytes) != 0) {
    if (errno != EOPNOTSUPP) return system_error("reserving the space of", path);
    if (calls.set_size(file.get(), bytes) != 0) return system_error("sizing", path);
  }
  Command command;
  // No blocks are kept for root: it is all the user's. None are given back to the disk either.
  command.argv = {mkfs, "-q", "-F", "-m", "0", "-E", "nodiscard", path};
  command.directory = "/";
  CH_TRY(run_to_end(command, "", log, kFormatTime));
  if (calls.sync(file.get()) != 0) return system_error("syncing", path);
  return {};
}

Result<void> mount(const FileHandle& image, const FileHandle& directory) {
  const auto& calls = directory.calls();
  const FileHandle control(calls.open_at(AT_FDCWD, "/dev/loop-control", O_RDWR, 0), calls);
  if (!control) return system_error("opening", "/dev/loop-control");
  std::string device_path;
  CH_TRY_LET(device, attach(control, image, device_path));
  if (calls.mount(device_path.c_str(), path_of(directory).c_str()) != 0) {
    return system_error("mounting", device_path);
  }
  return {};
}

Result<bool> is_mounted(const FileHandle& parent, const std::string& name) {
  struct stat above {};
  struct stat below {};
  if (parent.calls().stat_of(parent.get(), above) != 0) return system_error("looking at the parent of", name);
  if (parent.calls().stat_at(parent.get(), name.c_str(), below) != 0) {
    if (errno == ENOENT) return false;
    return system_error("looking at", name);
  }
  return S_ISDIR(below.st_mode) && above.st_dev != below.st_dev;
}

Result<void> unmount(const FileHandle& parent, const std::string& name) {
  CH_TRY_LET(mounted, is_mounted(parent, name));
  if (!mounted) return {};
  const auto path = fmt::format("{}/{}", path_of(parent), name);
  if (parent.calls().unmount(path.c_str()) == 0) return {};
  if (errno == EBUSY) {
    Error error = internal_error(fmt::format("unmounting {}: something still uses it", name));
    error.reason = Reason::kServiceUnavailable;
    return error;
  }
  return system_error("unmounting", name);
}

}  // namespace chandler::brokers::loop
