// Objects as a server sends them, made into documents. Pure.
#pragma once

#include "base/result.h"
#include "json/value.h"
#include "registry/document.h"
#include "registry/kind.h"

namespace chandler::client {

// resourceVersions are opaque by contract and numbers in fact; what is none is an error.
Result<registry::Revision> revision_of(const json::Value& object);

// With the kind's selectable fields read off. Fills in apiVersion and kind, which items of lists lack; leaves out
// managedFields, which nobody here reads and an update need not repeat.
Result<registry::DocumentPtr> read_object(json::Value object, const registry::Kind& kind);

// A delete or an update that was answered with this object has removed it, or will at once: nothing holds it any more.
bool is_removed(const json::Value& object, bool by_delete);

}  // namespace chandler::client
