// What the API demands of any object, as pure functions over documents: which fields the server owns, what an update
// may not touch, when the generation grows, when a deleted object is finished.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "json/value.h"
#include "registry/objects.h"

namespace chandler::registry {

// What strict clients do not let pass, as messages: fields of a body that occur twice or that the schema does not know.
// As in Kubernetes, no more than 100 are listed.
std::vector<std::string> decoding_faults(const std::vector<std::string>& duplicates,
                                         const std::vector<std::string>& unknown);

// Drops and reports what the schema does not know. Wrong JSON types in a built-in kind and, with strict validation,
// unknown or duplicate fields are BadRequest.
Result<void> conform(const WriteRequest& request, json::Value& object, std::vector<std::string>& warnings);

// Metadata of a new object: uid, creationTimestamp, generation; everything only the server may set is wiped, status too
// where it is a subresource.
void begin_life(const WriteRequest& request, WallTime now, json::Value& object);

// The member of an object that a subresource is about: spec for finalize, else status.
std::string_view written_part(std::string_view subresource);

// Puts back what an update may not change (uid, creation and deletion marks, generation, status on the main resource,
// everything but status on /status).
void keep_system_fields(const WriteRequest& request, const json::Value& old, json::Value& object);

// True when something other than metadata (and status, where it is a subresource) differs.
bool desired_state_differs(const Version& version, bool builtin, const json::Value& a, const json::Value& b);

// Schema, metadata, name and immutable fields; `old` null on create.
void validate_object(const WriteRequest& request, const json::Value& object, const json::Value* old,
                     meta::FieldErrors& errors);

// Marks for deletion: time stamp, grace period, generation, finalizer of the propagation policy. True if it changed.
bool mark_deleted(const Kind& kind, const DeleteOptions& options, WallTime now, json::Value& object);
// No finalizer is left (Namespaces have a second list in their spec).
bool may_be_removed(const Kind& kind, const json::Value& object);

json::Object& metadata_of(json::Value& object);  // made when missing

// Fills in the defaults of a version. An error when they are more than an object may have.
Result<void> fill_defaults(const Version& version, json::Value& object);
// Stored and compared objects carry the storage version's name; versions differ in nothing else.
void set_storage_version(const Kind& kind, json::Value& object);
// A custom resource that was written in another version than the stored one: what the stored one knows is kept, and its
// defaults are filled in, as readers will see it. An error when they are more than an object may have.
Result<void> convert_to_stored(const Kind& kind, const Version& from, json::Value& object);

}  // namespace chandler::registry
