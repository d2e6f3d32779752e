#include "webhooks/review_answer.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::webhooks {
namespace {

std::string review(std::string_view members) {
  return fmt::format(R"({{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{{"uid":"u",{}}}}})",
                     members);
}

std::string fault(std::string_view members, bool mutating = true) {
  const auto answer = read_answer(review(members), "u", "a.b.c", mutating);
  return answer.ok() ? "" : answer.error();
}

TEST(ReviewAnswer, PatchAndItsTypeGoTogether) {
  EXPECT_EQ(fault(R"("allowed":true)"), "");
  EXPECT_EQ(fault(R"("allowed":true,"patch":"W10=")"), "webhook returned response.patch but not response.patchType");
  EXPECT_EQ(fault(R"("allowed":true,"patchType":"JSONPatch")"),
            "webhook returned response.patchType but not response.patch");
  EXPECT_EQ(fault(R"("allowed":true,"patch":"W10=","patchType":"Merge")"),
            "webhook returned invalid response.patchType of \"Merge\"");
  EXPECT_EQ(fault(R"("allowed":true,"patch":"***","patchType":"JSONPatch")"), "response.patch is not in base64");
  const auto answer = read_answer(review(R"("allowed":true,"patch":"W10=","patchType":"JSONPatch")"), "u", "h", true);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->patch, "[]");
}

TEST(ReviewAnswer, WhatIsNotAllowedIsDenied) {
  const auto answer = read_answer(review(R"("allowed":"yes")"), "u", "a.b.c", false);
  ASSERT_TRUE(answer.ok());
  EXPECT_FALSE(answer->allowed) << "only true is true";
}

TEST(ReviewAnswer, ADenialKeepsItsDetails) {
  const auto answer = read_answer(review(R"("allowed":false,"status":{"code":422,"reason":"Invalid","message":"no",
             "details":{"name":"x","kind":"Widget","causes":[{"field":"spec.color","message":"m","reason":"r"}]}})"),
                                  "u", "a.b.c", false);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->denial.reason, Reason::kInvalid);
  EXPECT_EQ(answer->denial.about.name, "x");
  ASSERT_EQ(answer->denial.causes.size(), 1u);
  EXPECT_EQ(answer->denial.causes[0].field, "spec.color");
}

TEST(ReviewAnswer, LongTextsAreCutBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 9000; ++i) text += "é";
  const auto answer =
      read_answer(review(fmt::format(R"("allowed":false,"warnings":["x{}"],"status":{{"message":"{}"}})", text, text)),
                  "u", "a.b.c", false);
  ASSERT_TRUE(answer.ok());
  EXPECT_LT(answer->denial.message.size(), 8400u);
  EXPECT_TRUE(is_valid_utf8(answer->denial.message));
  ASSERT_EQ(answer->warnings.size(), 1u);
  EXPECT_TRUE(is_valid_utf8(answer->warnings[0]));
  EXPECT_LE(answer->warnings[0].size(), 4099u);
}

}  // namespace
}  // namespace chandler::webhooks
