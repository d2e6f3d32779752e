#include "reconcilers/usage/observations.h"

#include <gtest/gtest.h>

#include "base/time_text.h"
#include "json/writer.h"
#include "reconcilers/catalog/document.h"

namespace chandler::reconcilers {
namespace {

WallTime at(std::string_view time) { return *parse_rfc3339(time); }

Observations seen(Truth first, std::string_view message, bool second = true) {
  Observations out;
  out.add({"First", first, first == Truth::kTrue ? "Good" : "Bad", std::string(message)});
  if (second) out.add({"Second", Truth::kFalse, "Whatever", "does not count", false});
  return out;
}

std::string times(const json::Value& status, std::string_view type) {
  const auto* found = condition(status, type);
  return found == nullptr ? "none" : text_at(*found, "lastTransitionTime") + " " + text_at(*found, "lastUpdateTime");
}

TEST(Observations, ReadyFollowsFromThoseThatCount) {
  json::Value status = json::Object{};
  seen(Truth::kTrue, "m").put_into(status.as_object(), "Fine", "all is well", 3, at("2026-01-01T00:00:00Z"));
  EXPECT_EQ(condition_reason(status, kReady), "Fine");
  EXPECT_TRUE(condition_true(status, kReady));
  EXPECT_EQ(text_at(status, "lastConditionState"), "Ready");
  EXPECT_EQ(number_at(status, "observedGeneration"), 3);
  seen(Truth::kFalse, "m").put_into(status.as_object(), "Fine", "all is well", 3, at("2026-01-01T00:00:01Z"));
  EXPECT_FALSE(condition_true(status, kReady));
  EXPECT_EQ(condition_reason(status, kReady), "Bad");
  EXPECT_EQ(text_at(status, "lastConditionState"), "Bad");
  seen(Truth::kUnknown, "m").put_into(status.as_object(), "Fine", "all is well", 3, at("2026-01-01T00:00:02Z"));
  EXPECT_EQ(text_at(*condition(status, kReady), "status"), "Unknown");
}

TEST(Observations, TimesMoveWithWhatTheySpeakOf) {
  json::Value status = json::Object{};
  seen(Truth::kTrue, "m").put_into(status.as_object(), "Fine", "all is well", 1, at("2026-01-01T00:00:00Z"));
  const auto once = json::write(status);
  seen(Truth::kTrue, "m").put_into(status.as_object(), "Fine", "all is well", 1, at("2026-01-01T00:00:01Z"));
  EXPECT_EQ(json::write(status), once) << "nothing is new";
  seen(Truth::kTrue, "other").put_into(status.as_object(), "Fine", "all is well", 1, at("2026-01-01T00:00:02Z"));
  EXPECT_EQ(times(status, "First"), "2026-01-01T00:00:00Z 2026-01-01T00:00:02Z");
  EXPECT_EQ(times(status, kReady), "2026-01-01T00:00:00Z 2026-01-01T00:00:00Z");
  seen(Truth::kFalse, "other").put_into(status.as_object(), "Fine", "all is well", 1, at("2026-01-01T00:00:03Z"));
  EXPECT_EQ(times(status, "First"), "2026-01-01T00:00:03Z 2026-01-01T00:00:03Z");
}

TEST(Observations, WhatIsNoLongerObservedGoes) {
  json::Value status = json::Object{};
  seen(Truth::kTrue, "m").put_into(status.as_object(), "Fine", "all is well", 1, at("2026-01-01T00:00:00Z"));
  EXPECT_NE(condition(status, "Second"), nullptr);
  seen(Truth::kTrue, "m", false).put_into(status.as_object(), "Fine", "all is well", 1, at("2026-01-01T00:00:01Z"));
  EXPECT_EQ(condition(status, "Second"), nullptr);
}

}  // namespace
}  // namespace chandler::reconcilers
