// For the tests of this folder: a directory that is gone afterwards.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/ids.h"

namespace chandler::client::testing {

class Scratch {
 public:
  Scratch() : path_(std::filesystem::temp_directory_path() / ("chandler-client-" + name_suffix(12))) {
    std::filesystem::create_directories(path_);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string path(std::string_view name = "") const { return (path_ / name).string(); }
  // The path of a file with this content.
  std::string write(std::string_view name, std::string_view content, bool executable = false) const {
    const auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << content;
    if (executable) std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file.string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace chandler::client::testing
