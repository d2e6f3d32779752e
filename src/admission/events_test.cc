#include "admission/kind_rules.h"
#include "admission/rule_rows.h"

namespace chandler::admission {
namespace {

TEST(CoreEvent, StandsInTheNamespaceOfItsObject) {
  expect_checks(check_core_event,
                {{"same",
                  "the usual event",
                  R"({"metadata":{"namespace":"a"},"involvedObject":{"namespace":"a"},"eventTime":null})",
                  "",
                  {}},
                 {"other",
                  "nobody there would see it",
                  R"({"metadata":{"namespace":"a"},"involvedObject":{"namespace":"b"}})",
                  "",
                  {"involvedObject.namespace Invalid"}},
                 {"cluster",
                  "objects of the cluster scope are told about in default",
                  R"({"metadata":{"namespace":"default"},"involvedObject":{}})",
                  "",
                  {}},
                 {"cluster elsewhere",
                  "and nowhere else",
                  R"({"metadata":{"namespace":"a"},"involvedObject":{}})",
                  "",
                  {"involvedObject.namespace Invalid"}}});
}

TEST(CoreEvent, WithAnEventTimeSaysWhoReports) {
  expect_checks(
      check_core_event,
      {{"complete",
        "the new form through the old API",
        R"({"metadata":{"namespace":"a"},"involvedObject":{"namespace":"a"},"eventTime":"2026-01-01T00:00:00.000000Z",
                      "reportingComponent":"x.io/c","reportingInstance":"i","action":"A","reason":"R"})",
        "",
        {}},
       {"incomplete",
        "the new form has no gaps",
        R"({"metadata":{"namespace":"a"},"involvedObject":{"namespace":"a"},"eventTime":"2026-01-01T00:00:00.000000Z",
                      "reportingComponent":"","reportingInstance":""})",
        "",
        {"reportingComponent Required", "reportingComponent Invalid", "reportingInstance Required", "action Required",
         "reason Required"}}});
}

TEST(Event, NeedsEverythingOfTheNewForm) {
  const std::string complete =
      R"("metadata":{"namespace":"a"},"involvedObject":{"namespace":"a"},"reportingComponent":"x.io/c",
         "reportingInstance":"i","action":"A","reason":"R","type":"Normal","source":{},"firstTimestamp":null)";
  const std::string time = R"(,"eventTime":"2026-01-01T00:00:00.000000Z")";
  expect_checks(
      check_event,
      {{"complete", "all is said", "{" + complete + time + "}", "", {}},
       {"nothing",
        "as the API lists it",
        R"({"metadata":{"namespace":"a"},"involvedObject":{"namespace":"a"},"eventTime":"2026-01-01T00:00:00.000000Z"})",
        "",
        {"action Required", "reason Required", "reportingController Invalid", "reportingController Required",
         "reportingInstance Required", "type Invalid"}},
       {"no time", "when was it?", "{" + complete + "}", "", {"eventTime Required"}},
       {"old fields",
        "they belong to the old form",
        "{" + complete + time + R"(,"count":3,"lastTimestamp":"2026-01-01T00:00:00Z"})",
        "",
        {"deprecatedCount Invalid", "deprecatedLastTimestamp Invalid"}},
       {"series of one",
        "one is no series",
        "{" + complete + time + R"(,"series":{"count":1}})",
        "",
        {"series.count Invalid", "series.lastObservedTime Required"}}});
}

}  // namespace
}  // namespace chandler::admission
