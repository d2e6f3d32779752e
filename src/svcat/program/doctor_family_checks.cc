#include <fmt/format.h>

#include "svcat/catalog/fields.h"
#include "svcat/claims/fields.h"
#include "svcat/program/doctor.h"

namespace chandler::svcat {
namespace {

// "dev/web": where it is, and what it is called.
std::string place_and_name(const json::Value& object) {
  return fmt::format("{}/{}", namespace_of(object), name_of(object));
}

std::string why_not_ready(const json::Value& object) {
  const auto said = readiness_sentence(object);
  return said.empty() ? "no controller has looked at it; does one run?" : said;
}

std::string deletion_time(const json::Value& object) { return utc(text_at(object, {"metadata", "deletionTimestamp"})); }

// What an operator has to decide about, which time does not bring.
bool waits_for_a_class(const json::Value& claim) {
  const auto* resolved = condition_of(claim, "ClassResolved");
  if (resolved != nullptr) return json::string_or(*resolved, "status") == "False";
  const auto word = readiness_word(claim);
  return word == "NoDefaultClass" || word == "SeveralDefaultClasses";
}

}  // namespace

Findings check_usages(const Objects& usages, WallTime now) {
  Findings findings;
  for (const auto& usage : usages) {
    const auto name = fmt::format("usage {}", place_and_name(usage));
    const auto describe = fmt::format("svcat describe usage {}{}", name_of(usage), place_flag(usage));
    if (is_deleting(usage)) {
      if (!is_slow(usage, {"metadata", "deletionTimestamp"}, now)) continue;
      findings.push_back({fmt::format("{} has been waiting to be deleted since {}: {}", name, deletion_time(usage),
                                      why_not_ready(usage)),
                          describe});
    } else if (!condition_holds(usage, "Ready") && is_slow(usage, {"metadata", "creationTimestamp"}, now)) {
      findings.push_back({fmt::format("{} delivers nothing: {}", name, why_not_ready(usage)), describe});
    }
  }
  return findings;
}

Findings check_usage_kinds(const Objects& kinds) {
  Findings findings;
  for (const auto& kind : kinds) {
    const auto* ready = condition_of(kind, "Ready");
    if (is_deleting(kind)) {
      const auto* used = condition_of(kind, "InUse");
      findings.push_back({fmt::format("usagekind {} waits to be deleted: {}", name_of(kind),
                                      used == nullptr ? why_not_ready(kind) : json::string_or(*used, "message")),
                          fmt::format("svcat describe usagekind {}", name_of(kind))});
    } else if (ready != nullptr && json::string_or(*ready, "status") == "False") {
      findings.push_back({fmt::format("usagekind {} cannot be used: {}", name_of(kind), why_not_ready(kind)),
                          fmt::format("svcat test usagekind {}", name_of(kind))});
    }
  }
  return findings;
}

Findings check_claims(const Objects& claims, const std::string& kind, WallTime now) {
  Findings findings;
  for (const auto& claim : claims) {
    const auto name = fmt::format("{} {}", text_at(claim, {"kind"}), place_and_name(claim));
    const auto explain = fmt::format("svcat explain claim {} {}{}", kind, name_of(claim), place_flag(claim));
    if (is_deleting(claim)) {
      if (!is_slow(claim, {"metadata", "deletionTimestamp"}, now)) continue;
      findings.push_back({fmt::format("{} has been waiting to be deleted since {}: {}", name, deletion_time(claim),
                                      why_not_ready(claim)),
                          explain});
    } else if (claim_state(claim) == "Bound") {
      continue;
    } else if (waits_for_a_class(claim)) {
      auto helps = explain;
      if (readiness_word(claim).ends_with("DefaultClass") || readiness_word(claim).ends_with("DefaultClasses")) {
        helps = fmt::format("svcat set resourceclass NAME -n NAMESPACE --default-for {}; more: {}", kind, explain);
      }
      findings.push_back({fmt::format("{} has no class: {}", name, why_not_ready(claim)), helps});
    } else if (is_slow(claim, {"metadata", "creationTimestamp"}, now)) {
      findings.push_back({fmt::format("{} does not have what it asked for: {}", name, why_not_ready(claim)), explain});
    }
  }
  return findings;
}

Findings check_volume_claims(const Objects& claims, WallTime now) {
  Findings findings;
  for (const auto& claim : claims) {
    const auto name = fmt::format("volume claim {}", place_and_name(claim));
    const auto explain = fmt::format("svcat explain pvc {}{}", name_of(claim), place_flag(claim));
    const auto phase = text_at(claim, {"status", "phase"});
    const auto* bound = condition_of(claim, "Bound");
    const auto reason = bound == nullptr ? std::string() : json::string_or(*bound, "reason");
    if (is_deleting(claim)) {
      if (!is_slow(claim, {"metadata", "deletionTimestamp"}, now)) continue;
      findings.push_back({fmt::format("{} has been waiting to be deleted since {}; does a pod still use it?", name,
                                      deletion_time(claim)),
                          fmt::format("kubectl describe pvc {}{}", name_of(claim), place_flag(claim))});
    } else if (phase == "Lost") {
      findings.push_back(
          {fmt::format("{} has lost its volume {}", name, text_at(claim, {"spec", "volumeName"})), explain});
    } else if (phase != "Bound" && reason != "WaitForFirstConsumer" &&
               is_slow(claim, {"metadata", "creationTimestamp"}, now)) {
      // Waiting for a pod is what its class asks for.
      findings.push_back(
          {bound == nullptr
               ? fmt::format("{} has no volume, and nobody says why; does a controller run?", name)
               : fmt::format("{} has no volume: {} - {}", name, reason, json::string_or(*bound, "message")),
           explain});
    }
  }
  return findings;
}

}  // namespace chandler::svcat
