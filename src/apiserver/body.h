// Request bodies: from JSON, YAML or protobuf to a document, with the kind checked against the URL.
#pragma once

#include <string>
#include <vector>

#include "apiserver/call.h"
#include "base/result.h"
#include "json/value.h"

namespace chandler::apiserver {

struct Body {
  json::Value value;
  std::vector<std::string> duplicates;  // keys that occurred twice
};

// By Content-Type; absent means JSON. UnsupportedMediaType for others.
Result<Body> read_body(const http::Request& request);

// An object for call.kind: apiVersion and kind agree with the URL (filled in where a built-in kind leaves them out).
Result<Body> read_object(const Call& call);

// Options that every write has: dryRun, fieldValidation, fieldManager. `options_kind` names them in errors. The user
// moves from the call into the request: once per call.
Result<std::shared_ptr<registry::WriteRequest>> write_request(Call& call, std::string_view options_kind);

// The media type without parameters, in lower case.
std::string media_type(std::string_view content_type);

}  // namespace chandler::apiserver
