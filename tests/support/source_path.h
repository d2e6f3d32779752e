// Files of the checkout that tests read: vectors, golden files, documents. Found from the test program, which lies in a
// build tree below the checkout, and not by __FILE__: a compiler cache makes that path relative.
#pragma once

#include <filesystem>
#include <string_view>

namespace chandler::testing {

// `file`: from the root of the checkout, such as "tests/compat/list.json".
inline std::filesystem::path source_path(std::string_view file) {
  auto root = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  while (root.has_relative_path() && !std::filesystem::exists(root / "CMakePresets.json")) root = root.parent_path();
  return root / file;
}

}  // namespace chandler::testing
