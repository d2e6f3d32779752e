// A body source that compresses another one with gzip as it goes out.
#pragma once

#include <memory>

#include "http/message.h"

namespace chandler::http {

std::unique_ptr<BodySource> gzip(std::unique_ptr<BodySource> source);

}  // namespace chandler::http
