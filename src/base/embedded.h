// Files that are part of the program; written by tools/embed.py at build time.
#pragma once

#include <span>
#include <string_view>

namespace chandler {

struct EmbeddedFile {
  std::string_view path;  // below the embedded folder: "core/configmaps.yaml"
  std::string_view content;
};

std::span<const EmbeddedFile> api_files();  // everything below api/

}  // namespace chandler
