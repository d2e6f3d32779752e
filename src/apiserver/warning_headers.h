// Warnings to the client, as headers of the answer.
#pragma once

#include <string>
#include <vector>

#include "http/message.h"

namespace chandler::apiserver {

using Warnings = std::vector<std::string>;

// Adds a Warning header for each text, once however often it occurs. As in Kubernetes, texts of more than 4096
// characters together are cut to 256 each, and what still exceeds 4096 is left out. Some HTTP clients accept no more
// than 100 headers, so there are 80 at most; the last one then counts what was left out.
void add_warnings(http::Headers& headers, const Warnings& warnings);

}  // namespace chandler::apiserver
