// Server-side tables: columns and cells of objects as `kubectl get` shows them. Cells come from a path into the
// document or from code (cells.h) where a path cannot say it.
#pragma once

#include <string>

#include "apiserver/negotiation.h"
#include "base/clock.h"
#include "json/value.h"
#include "registry/kind.h"

namespace chandler::apiserver {

// The column definitions of a kind, Name first; as JSON.
json::Array table_columns(const registry::Version& version);

// One row: cells and, as asked for, the object or its metadata. `object` is the complete document.
json::Value table_row(const registry::Version& version, const Output& output, const json::Value& object, WallTime now);

// A Table of these rows; `columns` empty leaves the definitions out (later events of a watch).
json::Value make_table(const Output& output, json::Array columns, json::Array rows, json::Object list_metadata);

// PartialObjectMetadata of a document.
json::Value partial_metadata(const Output& output, const json::Value& object);

}  // namespace chandler::apiserver
