// How many plans of a class can be had, as its status tells. A relist makes a class with them, OfferKeeper keeps them
// true.
#pragma once

#include <cstdint>

#include <fmt/format.h>

#include "json/text_scan.h"
#include "reconcilers/catalog/document.h"

namespace chandler::reconcilers {

struct PlanCounts {
  int64_t free = 0;
  int64_t paid = 0;
};

inline void write_counts(json::Object& status, const PlanCounts& counts) {
  auto& out = object_in(status, "planCounts");
  out["free"] = counts.free;
  out["paid"] = counts.paid;
}

// Whether the status of the class, which is not parsed for it, has just these counts. False is not certain.
inline bool shows_counts(const client::Object& service_class, const PlanCounts& counts) {
  const auto status = json::member_text(service_class.document().bytes(), "status");
  return json::member_text(status, "planCounts") == fmt::format(R"({{"free":{},"paid":{}}})", counts.free, counts.paid);
}

}  // namespace chandler::reconcilers
