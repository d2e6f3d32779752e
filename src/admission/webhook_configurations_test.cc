#include <fmt/format.h>
#include <gtest/gtest.h>

#include "admission/kind_rules.h"
#include "admission/rule_rows.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kGood =
    R"("name":"a.b.c","clientConfig":{"url":"https://h/p"},"sideEffects":"None","admissionReviewVersions":["v1"])";

std::string configuration(std::string_view hooks) { return fmt::format(R"({{"webhooks":[{}]}})", hooks); }

// A webhook that is fine but for the members given.
std::string with(std::string_view more) {
  auto hook = document(fmt::format("{{{}}}", kGood));
  const auto extra = document(fmt::format("{{{}}}", more));
  for (const auto& [key, value] : extra.as_object()) hook.as_object()[key] = value;
  return configuration(json::write(hook));
}

std::string with_rule(std::string_view more) {
  auto rule = document(R"({"operations":["CREATE"],"apiGroups":[""],"apiVersions":["v1"],"resources":["pods"]})");
  const auto extra = document(fmt::format("{{{}}}", more));
  for (const auto& [key, value] : extra.as_object()) rule.as_object()[key] = value;
  return with(fmt::format(R"("rules":[{}])", json::write(rule)));
}

TEST(WebhookConfiguration, IsAcceptedOnlyIfItCanBeHonoured) {
  const std::vector<CheckRow> rows = {
      {"none", "a configuration may be empty", R"({})", "", {}},
      {"good", "all that is needed", with(""), "", {}},
      {"short name", "three labels", with(R"("name":"b.c")"), "", {"webhooks[0].name Invalid"}},
      {"upper case", "no DNS name", with(R"("name":"A.b.c")"), "", {"webhooks[0].name Invalid"}},
      {"twice",
       "a name stands for one webhook",
       configuration(fmt::format("{{{}}},{{{}}}", kGood, kGood)),
       "",
       {"webhooks[1].name Duplicate"}},
      {"nowhere", "neither url nor service", with(R"("clientConfig":{})"), "", {"webhooks[0].clientConfig Required"}},
      {"both",
       "url and service",
       with(R"("clientConfig":{"url":"https://h","service":{"name":"a","namespace":"b"}})"),
       "",
       {"webhooks[0].clientConfig Required"}},
      {"http",
       "TLS only",
       with(R"("clientConfig":{"url":"http://h/p"})"),
       "",
       {"webhooks[0].clientConfig.url Invalid"}},
      {"user",
       "no credentials in URLs",
       with(R"("clientConfig":{"url":"https://u:p@h/p"})"),
       "",
       {"webhooks[0].clientConfig.url Invalid"}},
      {"fragment",
       "means nothing",
       with(R"("clientConfig":{"url":"https://h/p#f"})"),
       "",
       {"webhooks[0].clientConfig.url Invalid"}},
      {"query",
       "is the server's",
       with(R"("clientConfig":{"url":"https://h/p?q"})"),
       "",
       {"webhooks[0].clientConfig.url Invalid"}},
      {"at in path",
       "only in front of the host it is a user",
       with(R"("clientConfig":{"url":"https://h/a@b"})"),
       "",
       {}},
      {"service", "is enough", with(R"("clientConfig":{"service":{"name":"a","namespace":"b","path":"/x"}})"), "", {}},
      {"service path",
       "absolute",
       with(R"("clientConfig":{"service":{"name":"a","namespace":"b","path":"x"}})"),
       "",
       {"webhooks[0].clientConfig.service.path Invalid"}},
      {"service port",
       "is a port",
       with(R"("clientConfig":{"service":{"name":"a","namespace":"b","port":70000}})"),
       "",
       {"webhooks[0].clientConfig.service.port Invalid"}},
      {"effects", "must be said", with(R"("sideEffects":"")"), "", {"webhooks[0].sideEffects Required"}},
      {"some effects",
       "dry run would have them",
       with(R"("sideEffects":"Some")"),
       "",
       {"webhooks[0].sideEffects NotSupported"}},
      {"versions",
       "must be said",
       with(R"("admissionReviewVersions":[])"),
       "",
       {"webhooks[0].admissionReviewVersions Required"}},
      {"old versions",
       "v1 is what is spoken here",
       with(R"("admissionReviewVersions":["v1beta1"])"),
       "",
       {"webhooks[0].admissionReviewVersions Invalid"}},
      {"no time", "at least a second", with(R"("timeoutSeconds":0)"), "", {"webhooks[0].timeoutSeconds Invalid"}},
      {"all time", "at most thirty", with(R"("timeoutSeconds":31)"), "", {"webhooks[0].timeoutSeconds Invalid"}},
      {"rule", "is fine", with_rule(""), "", {}},
      {"operation",
       "of the API",
       with_rule(R"("operations":["PATCH"])"),
       "",
       {"webhooks[0].rules[0].operations[0] NotSupported"}},
      {"all and one",
       "all are all",
       with_rule(R"("operations":["*","CREATE"])"),
       "",
       {"webhooks[0].rules[0].operations Invalid"}},
      {"no groups",
       "none would never fit",
       with_rule(R"("apiGroups":[])"),
       "",
       {"webhooks[0].rules[0].apiGroups Required"}},
      {"empty version",
       "there is none",
       with_rule(R"("apiVersions":[""])"),
       "",
       {"webhooks[0].rules[0].apiVersions[0] Required"}},
      {"everything and more",
       "everything is everything",
       with_rule(R"("resources":["*/*","pods"])"),
       "",
       {"webhooks[0].rules[0].resources Invalid"}},
      {"all and a part", "parts are not in *", with_rule(R"("resources":["*","pods/status"])"), "", {}},
      {"half a part",
       "a name behind the slash",
       with_rule(R"("resources":["pods/"])"),
       "",
       {"webhooks[0].rules[0].resources[0] Invalid"}},
      {"scope", "one of three", with_rule(R"("scope":"Galaxy")"), "", {"webhooks[0].rules[0].scope NotSupported"}},
      {"conditions", "", with(R"("matchConditions":[{"name":"a","expression":"has(object.spec) == true"}])"), "", {}},
      {"conditions of nothing",
       "what cannot be evaluated is refused",
       with(R"("matchConditions":[{"name":"a","expression":"true"},{"name":"a","expression":"authorizer.allowed"},
             {"name":"b c","expression":""}])"),
       "",
       {"webhooks[0].matchConditions[1].name Duplicate", "webhooks[0].matchConditions[1].expression Invalid",
        "webhooks[0].matchConditions[2].name Invalid", "webhooks[0].matchConditions[2].expression Required"}},
  };
  expect_checks(check_webhook_configuration, rows, false);
}

}  // namespace
}  // namespace chandler::admission
