#include "reconcilers/catalog/conditions.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "base/time_text.h"
#include "json/writer.h"
#include "reconcilers/catalog/document.h"

namespace chandler::reconcilers {
namespace {

const WallTime kThen = *parse_rfc3339("2026-01-01T00:00:00Z");
const WallTime kLater = *parse_rfc3339("2026-01-02T00:00:00Z");

std::string types(const json::Object& status) {
  std::string out;
  for (const auto& entry : status.at("conditions").as_array()) out += text_at(entry, "type") + " ";
  return out;
}

TEST(Conditions, ReadyStandsFirstAndOthersFollow) {
  json::Object status;
  set_condition(status, kFailed, Truth::kTrue, "Broken", "m", kThen);
  set_condition(status, kReady, Truth::kFalse, "NotYet", "m", kThen);
  set_condition(status, kOrphanMitigation, Truth::kTrue, "Cleaning", "m", kThen);
  EXPECT_EQ(types(status), "Ready Failed OrphanMitigation ");
}

TEST(Conditions, TheTimeMovesOnlyWhenTheStatusFlips) {
  json::Object status;
  set_condition(status, kReady, Truth::kFalse, "A", "first", kThen);
  set_condition(status, kReady, Truth::kFalse, "B", "second", kLater);
  const json::Value value(status);
  EXPECT_EQ(text_at(*condition(value, kReady), "lastTransitionTime"), rfc3339(kThen));
  EXPECT_EQ(condition_reason(value, kReady), "B");
  set_condition(status, kReady, Truth::kTrue, "C", "third", kLater);
  EXPECT_EQ(text_at(*condition(json::Value(status), kReady), "lastTransitionTime"), rfc3339(kLater));
  EXPECT_TRUE(condition_true(json::Value(status), kReady));
}

TEST(Conditions, TheLastOneIsKeptInAWord) {
  json::Object status;
  set_condition(status, kReady, Truth::kFalse, "NotYet", "m", kThen);
  EXPECT_EQ(status.at("lastConditionState"), "NotYet");
  set_condition(status, kFailed, Truth::kTrue, "Broken", "m", kThen);
  EXPECT_EQ(status.at("lastConditionState"), "Failed");
  remove_condition(status, kFailed);
  EXPECT_EQ(status.at("lastConditionState"), "NotYet");
  remove_condition(status, kReady);
  EXPECT_FALSE(status.contains("lastConditionState"));
}

TEST(Conditions, LongMessagesAreCut) {
  json::Object status;
  set_condition(status, kReady, Truth::kUnknown, "R", std::string(10'000, 'x'), kThen);
  EXPECT_EQ(text_at(*condition(json::Value(status), kReady), "message").size(), 4096u);
}

TEST(Conditions, MessagesAreCutBetweenCharacters) {
  json::Object status;
  set_condition(
      status, kReady, Truth::kUnknown, "R",
      "x" +
          [] {
            std::string many;
            for (int i = 0; i < 3000; ++i) many += "\u00e4";
            return many;
          }(),
      kThen);
  EXPECT_TRUE(is_valid_utf8(text_at(*condition(json::Value(status), kReady), "message")));
}

TEST(Conditions, WhatIsNoListCountsAsEmpty) {
  const json::Value status = json::Object{{"conditions", "odd"}};
  EXPECT_EQ(condition(status, kReady), nullptr);
  EXPECT_FALSE(condition_true(status, kReady));
  EXPECT_EQ(condition_reason(status, kReady), "");
}

}  // namespace
}  // namespace chandler::reconcilers
