// Cells that kinds of all sorts share.
#include "apiserver/cells.h"
#include "apiserver/cells/reading.h"

namespace chandler::apiserver {
namespace {

using namespace cells;

json::Value age_cell(const json::Value& object, WallTime now) {
  return json::Value(age(text_at(object, {"metadata", "creationTimestamp"}), now));
}

json::Value created_at(const json::Value& object, WallTime) {
  return json::Value(text_at(object, {"metadata", "creationTimestamp"}));
}

json::Value phase(const json::Value& object, WallTime) {
  if (has(object, {"metadata", "deletionTimestamp"})) return "Terminating";
  return json::Value(text_at(object, {"status", "phase"}));
}

json::Value data_count(const json::Value& object, WallTime) {
  return static_cast<int64_t>(object_at(object, {"data"}).size() + object_at(object, {"binaryData"}).size());
}

json::Value webhook_count(const json::Value& object, WallTime) {
  return static_cast<int64_t>(array_at(object, {"webhooks"}).size());
}

constexpr NamedCell kCells[] = {
    {"age", age_cell},          {"created-at", created_at},       {"phase", phase},
    {"data-count", data_count}, {"webhook-count", webhook_count},
};

}  // namespace

std::span<const NamedCell> general_cells() { return kCells; }

}  // namespace chandler::apiserver
