// A body source that compresses another one with gzip as it goes out.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "http/message.h"

namespace chandler::http {

std::unique_ptr<BodySource> gzip(std::unique_ptr<BodySource> source);

// Two pieces of text as one gzip file.
std::string gzip_text(std::string_view first, std::string_view second);

}  // namespace chandler::http
