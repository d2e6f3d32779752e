#include "apiserver/housekeeping/event_expiry.h"

#include <algorithm>

#include "base/time_text.h"

namespace chandler::apiserver {
namespace {

constexpr std::string_view kPrefix = "core/events/";

WallTime last_seen(const json::Value& event) {
  WallTime latest{};
  const auto consider = [&](const json::Value* parent, std::string_view key) {
    if (parent == nullptr) return;
    if (const auto text = json::string_at(*parent, key))
      latest = std::max(latest, parse_rfc3339(*text).value_or(WallTime{}));
  };
  consider(json::find(event, "metadata"), "creationTimestamp");
  consider(&event, "lastTimestamp");
  consider(&event, "eventTime");
  consider(json::find(event, "series"), "lastObservedTime");
  return latest;
}

}  // namespace

EventExpiry::EventExpiry(const registry::KindTable& kinds, registry::Cache& cache, registry::Objects& objects,
                         const Clock& clock, std::chrono::seconds ttl)
    : kinds_(kinds),
      cache_(cache),
      clock_(clock),
      ttl_(ttl),
      writer_(objects, "event-expiry-controller"),
      duty_("event-expiry", [this](const std::string& key) { return work(key); }) {
  cache_.listen([this](std::string_view prefix, const registry::Event& event) {
    // Only the first time: a later look finds out that the event was seen again.
    if (prefix != kPrefix || event.deleted || event.before != nullptr) return;
    duty_.add_after(std::string(kPrefix).append(event.now->ns()).append("/").append(event.now->name()), ttl_);
  });
}

void EventExpiry::start() {
  if (const auto kind = kinds_.current()->find("", "events")) {
    const auto page = cache_.list(*kind, registry::Query());
    for (const auto& document : page.ok() ? page->items : std::vector<registry::DocumentPtr>()) {
      duty_.add(kind->key(document->ns(), document->name()));
    }
  }
  duty_.start();
}

std::optional<std::chrono::milliseconds> EventExpiry::work(const std::string& key) {
  const auto document = cache_.get_key(key);
  const auto kind = kinds_.current()->find("", "events");
  if (document == nullptr || kind == nullptr) return std::nullopt;
  const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(clock_.now() - last_seen(document->parse()));
  if (age < ttl_) return std::max(std::chrono::milliseconds(1000), std::chrono::milliseconds(ttl_) - age);
  registry::DeleteOptions options;
  options.resource_version = std::to_string(document->revision());
  const auto removed = writer_.remove(kind, document->ns(), document->name(), std::move(options));
  if (removed.ok() || removed.error().reason == Reason::kNotFound) return std::nullopt;
  return std::chrono::seconds(10);
}

}  // namespace chandler::apiserver
