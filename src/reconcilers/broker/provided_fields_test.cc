#include "reconcilers/broker/provided_fields.h"

#include <gtest/gtest.h>

#include "json/reader.h"
#include "json/writer.h"
#include "resolve/provided_record.h"

namespace chandler::reconcilers {
namespace {

struct Row {
  std::string_view reason;
  std::string_view offer;
  ProvidedFields provided;
  RecordedFields recorded;
  std::string_view after;
  std::vector<std::string> overwritten;
};

TEST(ProvidedFields, OnlyWhatTheBrokerProvidesOrProvidedIsTouched) {
  const std::string mark(kSuggestedPlanPath);
  const std::vector<Row> rows = {
      {"new fields are set", R"({"spec":{"a":1}})", {{"spec.b", 2}}, {}, R"({"spec":{"a":1,"b":2}})", {}},
      {"recorded ones follow", R"({"spec":{"b":1}})", {{"spec.b", 2}}, {"spec.b"}, R"({"spec":{"b":2}})", {}},
      {"what others set gives way and is told",
       R"({"spec":{"b":1}})",
       {{"spec.b", 2}},
       {},
       R"({"spec":{"b":2}})",
       {"spec.b"}},
      {"the same value is no loss", R"({"spec":{"b":2}})", {{"spec.b", 2}}, {}, R"({"spec":{"b":2}})", {}},
      {"no longer provided", R"({"spec":{"a":1,"b":1}})", {}, {"spec.b"}, R"({"spec":{"a":1}})", {}},
      {"the ID stays", R"({"spec":{"externalID":"x"}})", {}, {"spec.externalID"}, R"({"spec":{"externalID":"x"}})", {}},
      {"a record cannot reach elsewhere",
       R"({"metadata":{"name":"n"}})",
       {},
       {"metadata.name"},
       R"({"metadata":{"name":"n"}})",
       {}},
      {"the mark is set",
       "{}",
       {{mark, "true"}},
       {},
       R"({"metadata":{"annotations":{"servicecatalog.kubernetes.io/is-suggested-plan":"true"}}})",
       {}},
      {"the mark is removed",
       R"({"metadata":{"annotations":{"servicecatalog.kubernetes.io/is-suggested-plan":"true","k":"v"}}})",
       {},
       {mark},
       R"({"metadata":{"annotations":{"k":"v"}}})",
       {}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.reason);
    auto offer = *json::parse(row.offer);
    const auto after = *json::parse(row.after);
    EXPECT_EQ(fields_are_current(offer, row.provided, row.recorded), json::equal(offer, after));
    EXPECT_EQ(write_fields(offer.as_object(), row.provided, row.recorded), row.overwritten);
    EXPECT_TRUE(json::equal(offer, after)) << json::write(offer);
    EXPECT_TRUE(fields_are_current(offer, row.provided, row.recorded));
  }
}

TEST(ProvidedFields, TheRecordNamesThemAll) {
  const ProvidedFields provided{{"spec.a", 1}, {"spec.b", 2}};
  json::Object offer;
  record_fields(offer, provided);
  EXPECT_EQ(resolve::provided_fields_of(offer), (std::vector<std::string_view>{"spec.a", "spec.b"}));
  EXPECT_TRUE(is_recorded(provided, {"spec.a", "spec.b"}));
  EXPECT_FALSE(is_recorded(provided, {"spec.a"}));
  EXPECT_FALSE(is_recorded(provided, {"spec.a", "spec.c"}));
}

}  // namespace
}  // namespace chandler::reconcilers
