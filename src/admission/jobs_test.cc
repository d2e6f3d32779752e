#include "admission/cron_schedule.h"
#include "admission/kind_rules.h"
#include "admission/rule_rows.h"

namespace chandler::admission {
namespace {

TEST(Job, KnowsItsPodsByItsUid) {
  expect_defaults(
      default_job,
      {{"least", "as recorded",
        R"({"metadata":{"name":"j","uid":"U","labels":{"x":"y"}},"spec":{"template":{"metadata":{},"spec":{"containers":[]}}}})",
        "",
        R"({"metadata":{"name":"j","uid":"U","labels":{"x":"y"}},
            "spec":{"template":{"metadata":{"labels":{"batch.kubernetes.io/controller-uid":"U","batch.kubernetes.io/job-name":"j",
                     "controller-uid":"U","job-name":"j"}},"spec":{"containers":[]}},
              "selector":{"matchLabels":{"batch.kubernetes.io/controller-uid":"U"}},
              "parallelism":1,"completions":1,"backoffLimit":6,"completionMode":"NonIndexed","suspend":false,"manualSelector":false,
              "podReplacementPolicy":"TerminatingOrFailed"}})"},
       {"manual", "the user has chosen another way, and labels pass on to the Job",
        R"({"metadata":{"name":"j","uid":"U"},"spec":{"manualSelector":true,"parallelism":2,"selector":{"matchLabels":{"a":"b"}},
            "template":{"metadata":{"labels":{"a":"b"}}}}})",
        "",
        R"({"metadata":{"name":"j","uid":"U","labels":{"a":"b"}},
            "spec":{"manualSelector":true,"parallelism":2,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}}},
              "backoffLimit":6,"completionMode":"NonIndexed","suspend":false,"podReplacementPolicy":"TerminatingOrFailed"}})"},
       {"policies", "a failure policy decides about replacements, a limit per index about the whole",
        R"({"metadata":{"name":"j","labels":{"x":"y"}},"spec":{"manualSelector":true,"completions":1,"backoffLimitPerIndex":1,"podFailurePolicy":{"rules":[]}}})",
        R"({})",
        R"({"metadata":{"name":"j","labels":{"x":"y"}},"spec":{"manualSelector":true,"completions":1,"parallelism":1,"backoffLimitPerIndex":1,
            "podFailurePolicy":{"rules":[]},"backoffLimit":2147483647,"completionMode":"NonIndexed","suspend":false,
            "podReplacementPolicy":"Failed"}})"}});
}

std::string job(const std::string& policy, const std::string& rest = "", const std::string& image = "i",
                const std::string& status = "") {
  return R"({"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":")" +
         policy + R"(","containers":[{"name":"c","image":")" + image + R"("}]}})" + rest + "}" + status + "}";
}

TEST(Job, PodsEnd) {
  expect_checks(
      check_job,
      {{"never", "a new pod after each failure", job("Never"), "", {}},
       {"always", "it would never be done", job("Always"), "", {"spec.template.spec.restartPolicy Required"}},
       {"no selector",
        "with manualSelector it is needed",
        R"({"spec":{"manualSelector":true,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})",
        "",
        {"spec.selector Required"}},
       {"indexed", "how many?", job("Never", R"(,"completionMode":"Indexed")"), "", {"spec.completions Required"}}});
}

TEST(Job, TemplateStays) {
  const auto old = job("Never", R"(,"completions":1)");
  const auto waiting = job("Never", R"(,"completions":1,"suspend":true)");
  expect_checks(
      check_job,
      {{"same", "nothing changed", old, old, {}},
       {"image", "its pods are alike", job("Never", R"(,"completions":1)", "j"), old, {"spec.template Invalid"}},
       {"completions", "the goal stays", job("Never", R"(,"completions":2)"), old, {"spec.completions Invalid"}},
       {"elastic",
        "an Indexed Job may grow",
        job("Never", R"(,"completionMode":"Indexed","completions":2,"parallelism":2)"),
        job("Never", R"(,"completionMode":"Indexed","completions":1,"parallelism":1)"),
        {}},
       {"suspended",
        "before the start, scheduling may change",
        R"({"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never",
                      "containers":[{"name":"c","image":"i"}],"nodeSelector":{"n":"1"}}},"completions":1,"suspend":true}})",
        waiting,
        {}}});
}

TEST(CronJob, ScheduleAndName) {
  const auto cron = [](const std::string& name, const std::string& schedule, const std::string& job_rest = "") {
    return R"({"metadata":{"name":")" + name + R"("},"spec":{"schedule":")" + schedule +
           R"(","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}})" +
           job_rest + "}}}}";
  };
  expect_checks(check_cron_job,
                {{"fine", "every five minutes", cron("c", "*/5 * * * *"), "", {}},
                 {"empty", "when?", cron("c", ""), "", {"spec.schedule Required"}},
                 {"nonsense", "when?", cron("c", "nonsense"), "", {"spec.schedule Invalid"}},
                 {"zone", "it has a field of its own", cron("c", "TZ=UTC * * * * *"), "", {"spec.schedule Invalid"}},
                 {"long name",
                  "its Jobs get longer ones",
                  cron(std::string(53, 'a'), "* * * * *"),
                  "",
                  {"metadata.name Invalid"}},
                 {"longest name", "52 fit", cron(std::string(52, 'a'), "* * * * *"), "", {}},
                 {"selector",
                  "made for each Job",
                  cron("c", "@hourly", R"(,"selector":{},"manualSelector":true)"),
                  "",
                  {"spec.jobTemplate.spec.selector Invalid", "spec.jobTemplate.spec.manualSelector NotSupported"}}});
}

TEST(CronSchedule, ReadsTheNotation) {
  struct Row {
    std::string schedule;
    std::string reason;
    bool good;
  };
  const std::vector<Row> rows = {
      {"0 12 * * MON-fri", "names of days in any case", true},
      {"0,30 0-6/2 1,15 JAN ?", "lists, ranges, steps", true},
      {"@daily", "a word", true},
      {"@every 1h30m", "a duration", true},
      {"@every soon", "no duration", false},
      {"@often", "no such word", false},
      {"* * * *", "four fields", false},
      {"* * * * * *", "six fields", false},
      {"60 * * * *", "an hour has 60 minutes, from 0", false},
      {"* * 0 * *", "days of the month start at 1", false},
      {"* * * 13 *", "there are twelve months", false},
      {"* * * * 7", "Sunday is 0", false},
      {"5-1 * * * *", "a range goes upwards", false},
      {"*/0 * * * *", "no step at all", false},
      {"1,,2 * * * *", "an empty piece", false},
      {"-1 * * * *", "no negative numbers", false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(check_cron_schedule(row.schedule).empty(), row.good) << row.schedule << ": " << row.reason;
  }
}

}  // namespace
}  // namespace chandler::admission
