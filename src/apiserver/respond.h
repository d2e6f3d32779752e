// Sending answers: one place that knows headers, media types and shapes.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "apiserver/call.h"
#include "apiserver/warning_headers.h"
#include "base/error.h"
#include "json/value.h"
#include "registry/document.h"

namespace chandler::apiserver {

// Adds the headers every answer has and hands it to the connection. Does nothing when the call is answered already.
void respond(const Services& services, Call& call, http::Response response, const Warnings& warnings = {});
void respond_error(const Services& services, Call& call, const Error& error, const Warnings& warnings = {});
// For a handler that threw: a bug of ours, which is logged; the client learns no more than that there was one.
void respond_fault(const Services& services, Call& call, std::string_view what);
// Any JSON value in the negotiated media type.
void respond_value(const Services& services, Call& call, int status, const json::Value& value,
                   const Warnings& warnings = {});
// One object of call.kind, in the negotiated shape and version.
void respond_object(const Services& services, Call& call, int status, const registry::DocumentPtr& document,
                    const Warnings& warnings = {});
void respond_written(const Services& services, Call& call, int status, const registry::WriteResult& result);
// What a write calls when it is done, on the store's thread: answers on the connection's own, an error as
// respond_error() does, else by `tell`.
registry::Objects::Done when_written(const Services& services, const CallPtr& call, Call::TellWritten tell);

// Runs `work` on the connection's own thread, later. What it throws becomes an answer.
void run_on_connection(const Services& services, const CallPtr& call, std::function<void()> work);

// The object as the wanted version shows it.
json::Value in_version(const Telling& telling, json::Value object);
// True when the stored bytes are what is to be told.
bool sends_stored_bytes(const Telling& telling);

}  // namespace chandler::apiserver
