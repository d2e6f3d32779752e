// Warnings that a server sends beside its answer, in header fields as RFC 7234 has them: Warning: 299 - "text". Pure.
#pragma once

#include <string>
#include <vector>

#include "http/message.h"

namespace chandler::client {

// The texts of all warnings with code 299, which is the code of Kubernetes, in their order. What is not well-formed is
// left out: a warning is never a reason to fail.
std::vector<std::string> warnings_of(const http::Headers& headers);

}  // namespace chandler::client
