// Events, in the form of the core group and in that of events.k8s.io.
#include <algorithm>

#include "apiserver/cells.h"
#include "apiserver/cells/reading.h"
#include "base/text.h"

namespace chandler::apiserver {
namespace {

using namespace cells;

std::string_view first_time(const json::Value& event) {
  return first_of(text_at(event, {"firstTimestamp"}), text_at(event, {"deprecatedFirstTimestamp"}),
                  text_at(event, {"eventTime"}));
}

json::Value first_seen(const json::Value& event, WallTime now) { return json::Value(age(first_time(event), now)); }

json::Value last_seen(const json::Value& event, WallTime now) {
  if (has(event, {"series"})) return json::Value(age(text_at(event, {"series", "lastObservedTime"}), now));
  return json::Value(
      age(first_of(text_at(event, {"lastTimestamp"}), text_at(event, {"deprecatedLastTimestamp"}), first_time(event)),
          now));
}

json::Value subject(const json::Value& event, WallTime) {
  const auto* about = json::find(event, "involvedObject");
  if (about == nullptr) about = json::find(event, "regarding");
  if (about == nullptr) return "";
  std::string out = to_lower(text_at(*about, {"kind"}));
  if (const auto name = text_at(*about, {"name"}); !name.empty()) out.append("/").append(name);
  return json::Value(out);
}

json::Value source(const json::Value& event, WallTime) {
  std::string out(first_of(text_at(event, {"source", "component"}), text_at(event, {"deprecatedSource", "component"}),
                           text_at(event, {"reportingComponent"}), text_at(event, {"reportingController"})));
  const auto host = first_of(text_at(event, {"source", "host"}), text_at(event, {"deprecatedSource", "host"}),
                             text_at(event, {"reportingInstance"}));
  if (!host.empty()) out.append(out.empty() ? "" : ", ").append(host);
  return json::Value(out);
}

json::Value message(const json::Value& event, WallTime) {
  return json::Value(trim(first_of(text_at(event, {"message"}), text_at(event, {"note"}))));
}

json::Value count(const json::Value& event, WallTime) {
  if (has(event, {"series"})) return int_at(event, {"series", "count"});
  return std::max({int64_t{1}, int_at(event, {"count"}), int_at(event, {"deprecatedCount"})});
}

constexpr NamedCell kCells[] = {
    {"event-last-seen", last_seen}, {"event-first-seen", first_seen}, {"event-object", subject},
    {"event-source", source},       {"event-message", message},       {"event-count", count},
};

}  // namespace

std::span<const NamedCell> event_cells() { return kCells; }

}  // namespace chandler::apiserver
