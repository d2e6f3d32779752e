// File systems in files: made, mounted through a loop device, unmounted. They cannot grow beyond their file, which is
// how the size of a volume is kept. Needs the rights of root; is_available() tells. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "brokers/volumes/file_handle.h"

namespace chandler::brokers::loop {

// This machine has loop devices, a program that makes file systems, and lets us mount. "" when it has, else what is
// missing.
std::string missing();

// A new ext4 file system of so many bytes in the empty file, which has this path. Its blocks are reserved, where the
// disk can do that: what was promised is there when it is written. `log` gets what the program says.
Result<void> format(const FileHandle& file, const std::string& path, uint64_t bytes, const std::string& log);

// Mounts the image at the directory; the loop device goes with the mount.
Result<void> mount(const FileHandle& image, const FileHandle& directory);
// Something is mounted at the directory `name` of `parent`.
Result<bool> is_mounted(const FileHandle& parent, const std::string& name);
// Fails while somebody uses it.
Result<void> unmount(const FileHandle& parent, const std::string& name);

}  // namespace chandler::brokers::loop
