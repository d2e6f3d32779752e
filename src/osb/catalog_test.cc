#include "osb/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "json/reader.h"
#include "json/writer.h"
#include "support/colliding_texts.h"
#include "support/growth.h"

namespace chandler::osb {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

Catalog read(const std::string& services) {
  auto catalog = parse_catalog(json::parse(R"({"services":[)" + services + "]}").value(), BrokerText(Sensitive()));
  EXPECT_TRUE(catalog.ok());
  return std::move(catalog).value();
}

// A service `name` with more members and these plans.
std::string service(const std::string& name, const std::string& more, const std::string& plans) {
  return R"({"id":"id-)" + name + R"(","name":")" + name + R"(","description":"d","bindable":true,)" + more +
         R"("plans":[)" + plans + "]}";
}
std::string plan(const std::string& name, const std::string& more = "") {
  return R"({"id":"id-)" + name + R"(","name":")" + name + R"(","description":"d")" + (more.empty() ? "" : "," + more) +
         "}";
}

// The login of the broker in a catalog, and what steers a terminal: text by text.
TEST(Catalog, TextsAreFitToBeShown) {
  Sensitive login;
  login.add("swordfish-4711");
  const auto body = json::parse(R"({"services":[{"id":"s","name":"n","bindable":true,
    "description":"a\u001b[31m\nswordfish-4711\u202e","tags":["t\u009b","swordfish-4711"],"requires":["r\u0007"],
    "metadata":{"displayName":"m\u202e","n\u0000":1,"list":["swordfish-4711"],"count":5,
      "documentationUrl":"javascript:x","supportUrl":"https://a.example/?p=swordfish%2D4711","imageUrl":"http://a.example",
      "otherURL":"data:x","someUrl":{"not":"a text"},"defaultProvisionParameters":{"k\u202e":"swordfish-4711"}},
    "plans":[{"id":"p","name":"q","description":"d\u0085","metadata":{"tags":["x\u001b"],"bullets":["b\u061c"]},
      "maintenance_info":{"version":"1","description":"i\u202d"},
      "schemas":{"service_instance":{"create":{"parameters":{"description":"s\u001b"}}}}}]}]})");
  ASSERT_TRUE(body.ok());
  const auto catalog = parse_catalog(*body, BrokerText(login));
  ASSERT_TRUE(catalog.ok());
  ASSERT_EQ(catalog->services.size(), 1U);
  const Service& read = catalog->services[0];
  EXPECT_EQ(read.description, "a [31m\n<redacted> ");
  EXPECT_THAT(read.tags, ElementsAre("t ", "<redacted>"));
  EXPECT_THAT(read.requirements, ElementsAre("r "));
  EXPECT_EQ(json::write(read.metadata),
            "{\"count\":5,\"defaultProvisionParameters\":{\"k\u202e\":\"swordfish-4711\"},\"displayName\":\"m \","
            "\"imageUrl\":\"http://a.example\",\"list\":[\"<redacted>\"],\"someUrl\":{\"not\":\"a text\"}}")
      << "what goes back to the broker stays";
  EXPECT_EQ(json::write(read.default_provision_parameters), "{\"k\u202e\":\"swordfish-4711\"}");
  EXPECT_THAT(catalog->problems,
              UnorderedElementsAre(HasSubstr("metadata has control characters or a secret in its name"),
                                   HasSubstr("metadata.documentationUrl is not an http or https"),
                                   HasSubstr("metadata.supportUrl repeats a secret value"),
                                   HasSubstr("metadata.otherURL is not an http or https")));
  const Plan& plan = read.plans.at(0);
  EXPECT_EQ(plan.description, "d ");
  EXPECT_THAT(plan.tags, ElementsAre("x "));
  EXPECT_EQ(json::write(plan.metadata), R"({"bullets":["b "],"tags":["x "]})");
  EXPECT_EQ(plan.maintenance_info->description, "i ");
  EXPECT_EQ(json::string_or(plan.create_schema, "description"), "s\x1b") << "schemas go to validators";
}

TEST(Catalog, ALongDescriptionIsCutBehindTheMask) {
  Sensitive login;
  login.add("swordfish-4711");
  for (const size_t before : {9'985U, 9'990U, 9'995U, 9'999U, 10'000U}) {
    const auto form =
        R"({"services":[{"id":"s","name":"n","bindable":true,"plans":[{"id":"p","name":"q"}],"description":")" +
        std::string(before, 'x') + R"(swordfish-4711"}]})";
    const auto catalog = parse_catalog(json::parse(form).value(), BrokerText(login));
    ASSERT_TRUE(catalog.ok());
    EXPECT_EQ(catalog->services.at(0).description.find("sword"), std::string::npos) << before;
  }
}

TEST(Catalog, ReadsEveryField) {
  const Catalog catalog = read(R"({
    "id":"s1","name":"mysql","description":"A database","bindable":true,"bindings_retrievable":true,
    "instances_retrievable":true,"allow_context_updates":true,"plan_updateable":true,"tags":["sql"],
    "requires":["route_forwarding"],"metadata":{"displayName":"MySQL"},"dashboard_client":{"id":"x","secret":"y"},
    "plans":[{"id":"p1","name":"small","description":"Small","metadata":{"bullets":["a"]},"free":false,"bindable":false,
      "binding_rotatable":true,"plan_updateable":false,"maximum_polling_duration":600,
      "maintenance_info":{"version":"1.2.3","description":"new kernel"},
      "schemas":{"service_instance":{"create":{"parameters":{"type":"object"}},"update":{"parameters":{"a":1}}},
                 "service_binding":{"create":{"parameters":{"b":{"$ref":"#/c"}}}}}}]})");
  EXPECT_THAT(catalog.problems, IsEmpty());
  ASSERT_EQ(catalog.services.size(), 1U);
  const Service& mysql = catalog.services[0];
  EXPECT_EQ(mysql.id, "s1");
  EXPECT_EQ(mysql.name, "mysql");
  EXPECT_EQ(mysql.description, "A database");
  EXPECT_TRUE(mysql.bindable && mysql.bindings_retrievable && mysql.instances_retrievable);
  EXPECT_TRUE(mysql.allow_context_updates && mysql.plan_updateable);
  EXPECT_THAT(mysql.tags, ElementsAre("sql"));
  EXPECT_THAT(mysql.requirements, ElementsAre("route_forwarding"));
  EXPECT_EQ(json::write(mysql.metadata), R"({"displayName":"MySQL"})");
  ASSERT_EQ(mysql.plans.size(), 1U);
  const Plan& small = mysql.plans[0];
  EXPECT_EQ(small.id, "p1");
  EXPECT_EQ(small.name, "small");
  EXPECT_EQ(json::write(small.metadata), R"({"bullets":["a"]})");
  EXPECT_FALSE(small.free);
  EXPECT_EQ(small.bindable, false);
  EXPECT_TRUE(small.binding_rotatable);
  EXPECT_EQ(small.plan_updateable, false);
  EXPECT_EQ(small.maximum_polling_duration, std::chrono::seconds(600));
  ASSERT_TRUE(small.maintenance_info);
  EXPECT_EQ(small.maintenance_info->version, "1.2.3");
  EXPECT_EQ(small.maintenance_info->description, "new kernel");
  EXPECT_EQ(json::write(small.create_schema), R"({"type":"object"})");
  EXPECT_EQ(json::write(small.update_schema), R"({"a":1})");
  EXPECT_EQ(json::write(small.bind_schema), R"({"b":{"$ref":"#/c"}})");
}

TEST(Catalog, HasTheDefaultsOfTheApi) {
  const Catalog catalog = read(
      R"({"id":"s","name":"n","bindable":false,"metadata":null,"tags":null,"plans":[{"id":"p","name":"q","description":""}]})");
  EXPECT_THAT(catalog.problems, IsEmpty());
  ASSERT_EQ(catalog.services.size(), 1U);
  const Service& found = catalog.services[0];
  EXPECT_EQ(found.description, "n") << "the kinds need one";
  EXPECT_FALSE(found.plan_updateable || found.bindings_retrievable || found.instances_retrievable);
  const Plan& only = found.plans.at(0);
  EXPECT_EQ(only.description, "q");
  EXPECT_TRUE(only.free);
  EXPECT_EQ(only.bindable, std::nullopt);
  EXPECT_FALSE(only.binding_rotatable);
  EXPECT_EQ(only.plan_updateable, std::nullopt);
  EXPECT_TRUE(only.create_schema.is_null());
  EXPECT_EQ(only.maximum_polling_duration, std::nullopt);
}

TEST(Catalog, AnEmptyCatalogIsOneAndNoListIsNone) {
  EXPECT_THAT(read("").services, IsEmpty());
  for (const std::string_view body : {"{}", R"({"services":null})", R"({"services":{}})", "[]", "null"}) {
    EXPECT_FALSE(parse_catalog(json::parse(body).value(), BrokerText(Sensitive())).ok()) << body;
  }
}

TEST(Catalog, AFaultyEntryIsNamedAndLeftOut) {
  struct Row {
    std::string reason, services, names, problem;  // names: service(plan,plan) ...
  };
  const std::string good = service("good", "", plan("p"));
  const std::string long_name(64, 'x');
  for (const Row& row : std::vector<Row>{
           {"no object", "5," + good, "good(p)", "service services[0]: must be an object; the service is left out"},
           {"no id", R"({"name":"a","bindable":true,"plans":[]},)" + good, "good(p)",
            R"(service "a" (services[0]): id is missing; the service is left out)"},
           {"no name", R"({"id":"a","bindable":true,"plans":[]},)" + good, "good(p)",
            "service services[0]: name is missing; the service is left out"},
           {"wrong type", R"({"id":7,"name":"a","bindable":true,"plans":[]},)" + good, "good(p)",
            "id must be a string"},
           {"empty id", R"({"id":"","name":"a","bindable":true,"plans":[]},)" + good, "good(p)",
            "id must have 1 to 63 characters"},
           {"long name", service(long_name, "", plan("q")) + "," + good, "good(p)", "must have 1 to 63 characters"},
           {"control characters", service("a\\n", "", plan("q")) + "," + good, "good(p)", "control characters"},
           {"bindable is required", R"({"id":"a","name":"a","plans":[]},)" + good, "good(p)", "bindable is missing"},
           {"wrong type", service("a", R"("plan_updateable":"yes",)", plan("q")) + "," + good, "good(p)",
            "plan_updateable must be true or false"},
           {"wrong type", service("a", R"("tags":"x",)", plan("q")) + "," + good, "good(p)",
            "tags must be a list of strings"},
           {"wrong type", service("a", R"("requires":[1],)", plan("q")) + "," + good, "good(p)",
            "requires must be a list of strings"},
           {"no plans", R"({"id":"a","name":"a","bindable":true},)" + good, "good(p)", "plans must be a list"},
           {"empty plans", service("a", "", "") + "," + good, "good(p)",
            R"(service "a" (services[0]): it has no usable plan; the service is left out)"},
           {"only bad plans", service("a", "", "5") + "," + good, "good(p)", "it has no usable plan"},
           {"the first of an id stays",
            good + R"(,{"id":"id-good","name":"b","bindable":true,"plans":[)" + plan("q") + "]}", "good(p)",
            R"(service "b" (services[1]): another service before it has the same id; the service is left out)"},
           {"the first of a name stays",
            good + R"(,{"id":"b","name":"good","bindable":true,"plans":[)" + plan("q") + "]}", "good(p)",
            "another service before it has the same name"},
           {"names have a case", good + "," + service("Good", "", plan("q")), "good(p) Good(q)", ""},
           {"a bad plan", service("a", "", plan("q", R"("free":1)") + "," + plan("r")), "a(r)",
            R"(plan "q" (services[0].plans[0] of service "a"): free must be true or false; the plan is left out)"},
           {"plan without id", service("a", "", R"({"name":"q"},)" + plan("r")), "a(r)", "id is missing"},
           {"the same plan id", service("a", "", R"({"id":"1","name":"q"},{"id":"1","name":"r"})"), "a(q)",
            "another plan before it has the same id"},
           {"the same plan id in another service",
            service("a", "", R"({"id":"1","name":"q"})") + "," +
                service("b", "", R"({"id":"1","name":"q"},{"id":"2","name":"r"})"),
            "a(q) b(r)", R"(of service "b"): another plan before it has the same id)"},
           {"the same plan name", service("a", "", R"({"id":"1","name":"q"},{"id":"2","name":"q"})"), "a(q)",
            "another plan of the service before it has the same name"},
           {"plan names may repeat in other services",
            service("a", "", R"({"id":"1","name":"q"})") + "," + service("b", "", R"({"id":"2","name":"q"})"),
            "a(q) b(q)", ""}}) {
    const Catalog catalog = read(row.services);
    std::vector<std::string> names;
    for (const Service& found : catalog.services) {
      std::vector<std::string> plans;
      for (const Plan& each : found.plans) plans.push_back(each.name);
      names.push_back(found.name + "(" + join(plans, ",") + ")");
    }
    EXPECT_EQ(join(names, " "), row.names) << row.reason;
    EXPECT_THAT(join(catalog.problems, "\n"), HasSubstr(row.problem)) << row.reason;
    EXPECT_EQ(catalog.problems.empty(), row.problem.empty()) << row.reason;
  }
}

TEST(Catalog, APartThatCanBeDoneWithoutIsLeftOutAlone) {
  struct Row {
    std::string reason, plan, problem;
  };
  const std::string large(65'600, 'x');
  const auto schema = [](const std::string& text) {
    return R"("schemas":{"service_instance":{"create":{"parameters":)" + text + "}}}";
  };
  for (const Row& row : std::vector<Row>{
           {"remote reference", schema(R"({"allOf":[{"$ref":"http://evil/x"}]})"),
            "refers to another document by $ref"},
           {"file", schema(R"({"$ref":"file:///etc/passwd"})"), "refers to another document"},
           {"large schema", schema(R"({"a":")" + large + R"("})"), "parameters is larger than 64 KiB"},
           {"schema of another type", schema("[]"), "schemas.service_instance.create.parameters must be an object"},
           {"no duration", R"("maximum_polling_duration":"1h")", "maximum_polling_duration must be"},
           {"negative duration", R"("maximum_polling_duration":-1)", "maximum_polling_duration must be"},
           {"no version", R"("maintenance_info":{})", "maintenance_info.version must be"},
           {"metadata", R"("metadata":"x")", "metadata must be an object; it is left out"},
           {"long tag", R"("tags":[")" + large + R"("])", "more than 255 characters"}}) {
    const Catalog catalog = read(service("a", "", plan("p", row.plan)));
    EXPECT_THAT(catalog.problems, ElementsAre(HasSubstr(row.problem))) << row.reason;
    ASSERT_EQ(catalog.services.size(), 1U) << row.reason;
    const Plan& left = catalog.services[0].plans.at(0);
    EXPECT_TRUE(left.create_schema.is_null() && left.metadata.is_null() && left.tags.empty()) << row.reason;
    EXPECT_FALSE(left.maximum_polling_duration || left.maintenance_info) << row.reason;
  }
  // A property that is called $ref is no reference.
  EXPECT_THAT(read(service("a", "", plan("p", schema(R"({"properties":{"$ref":{"type":"string"}}})")))).problems,
              IsEmpty());
}

TEST(Catalog, ManyProblemsAreCounted) {
  std::string services = "0";
  for (int i = 1; i < 1000; ++i) services += ",0";
  const Catalog catalog = read(services);
  ASSERT_EQ(catalog.problems.size(), 201U);
  EXPECT_EQ(catalog.problems.back(), "and 800 more problems");
}

TEST(Catalog, ReadsTypesSuggestionsAndAttributesFromTags) {
  const Catalog catalog = read(service(
      "mysql", R"("tags":["sql","ServiceType=mysql","Region=eu","Cores=1"],)",
      plan("small", R"("tags":["Cores=4","SuggestedPlan=true"])") + "," +
          plan("big", R"("metadata":{"tags":["ServiceType=mysql-big","Cores=64",5]},"tags":["x=y=z","=a","b c=d"])") +
          "," + plan("none", R"("tags":["SuggestedPlan=false"])")));
  EXPECT_THAT(catalog.problems, IsEmpty());
  const Service& mysql = catalog.services.at(0);
  EXPECT_EQ(mysql.service_type, "mysql");
  EXPECT_FALSE(mysql.suggested);
  EXPECT_THAT(mysql.attributes, UnorderedElementsAre(Pair("Region", "eu"), Pair("Cores", "1")));
  const Plan& small = mysql.plans.at(0);
  EXPECT_EQ(small.service_type, "") << "that of the service is not the plan's own";
  EXPECT_TRUE(small.suggested);
  EXPECT_THAT(small.attributes, UnorderedElementsAre(Pair("Region", "eu"), Pair("Cores", "4")));
  const Plan& big = mysql.plans.at(1);
  EXPECT_EQ(big.service_type, "mysql-big") << "a plan's own type wins";
  EXPECT_FALSE(big.suggested);
  EXPECT_THAT(big.attributes, UnorderedElementsAre(Pair("Region", "eu"), Pair("Cores", "64"), Pair("x", "y=z")));
  EXPECT_THAT(big.tags, ElementsAre("x=y=z", "=a", "b c=d", "ServiceType=mysql-big", "Cores=64"));
  EXPECT_FALSE(mysql.plans.at(2).suggested);
}

TEST(Catalog, ASuggestedServiceSuggestsItsOnlyPlan) {
  const std::string tag = R"("tags":["SuggestedPlan=true"],)";
  const Catalog one = read(service("a", tag, plan("p")));
  EXPECT_TRUE(one.services.at(0).plans.at(0).suggested);
  EXPECT_THAT(one.problems, IsEmpty());
  const Catalog two = read(service("a", tag, plan("p") + "," + plan("q")));
  EXPECT_FALSE(two.services.at(0).plans.at(0).suggested || two.services.at(0).plans.at(1).suggested);
  EXPECT_THAT(two.problems, ElementsAre(HasSubstr("exactly one plan")));
}

TEST(Catalog, FaultySuggestionsAreIgnoredOneByOne) {
  struct Row {
    std::string reason, plan, problem;
  };
  for (const Row& row : std::vector<Row>{
           {"empty type", R"("tags":["ServiceType="])", "ServiceType must be"},
           {"blank", R"("tags":["ServiceType=my sql"])", "ServiceType must be"},
           {"ends in a dash", R"("tags":["ServiceType=mysql-"])", "ServiceType must be"},
           {"long", R"("tags":["ServiceType=)" + std::string(64, 'x') + R"("])", "ServiceType must be"},
           {"neither true nor false", R"("tags":["SuggestedPlan=yes"])", "SuggestedPlan must be true or false"},
           {"no object", R"("metadata":{"defaultProvisionParameters":[]})",
            "metadata.defaultProvisionParameters must be an object"},
           {"no object", R"("metadata":{"defaultBindingParameters":"x"})",
            "metadata.defaultBindingParameters must be an object"},
           {"no list", R"("metadata":{"defaultSecretTransform":{}})", "metadata.defaultSecretTransform must be a list"},
           {"no objects", R"("metadata":{"defaultSecretTransform":["x"]})",
            "metadata.defaultSecretTransform must be a list of objects"},
           {"a broker chooses no secrets",
            R"("metadata":{"defaultSecretTransform":[{"addKeysFrom":{"secretRef":{"name":"x"}}}]})",
            "must not use addKeysFrom"}}) {
    const Catalog catalog = read(service("a", "", plan("p", row.plan)));
    EXPECT_THAT(catalog.problems, ElementsAre(AllOf(HasSubstr(R"(plan "p")"), HasSubstr(row.problem)))) << row.reason;
    const Plan& left = catalog.services.at(0).plans.at(0);
    EXPECT_TRUE(left.service_type.empty() && !left.suggested) << row.reason;
    EXPECT_TRUE(left.default_provision_parameters.is_null() && left.default_binding_parameters.is_null() &&
                left.default_secret_transform.is_null())
        << row.reason;
  }
}

TEST(Catalog, SeveralTypesAreReported) {
  const Catalog catalog = read(service("a", R"("tags":["ServiceType=x","ServiceType=y","ServiceType=x"],)", plan("p")));
  EXPECT_EQ(catalog.services.at(0).service_type, "x");
  EXPECT_THAT(catalog.problems, ElementsAre(HasSubstr(R"(several tags ServiceType; "x" is taken)")));
}

TEST(Catalog, ReadsSuggestedDefaultsOfServiceAndPlan) {
  const Catalog catalog = read(
      service("a", R"("metadata":{"defaultProvisionParameters":{"size":1},"other":true},)",
              plan("p", R"("metadata":{"defaultProvisionParameters":{"size":2},"defaultBindingParameters":{"role":"rw"},
        "defaultSecretTransform":[{"renameKey":{"from":"a","to":"b"}},{"addKeysFrom":{}},{"removeKey":{"key":"c"}}]})")));
  const Service& found = catalog.services.at(0);
  EXPECT_EQ(json::write(found.default_provision_parameters), R"({"size":1})");
  EXPECT_TRUE(found.default_binding_parameters.is_null());
  const Plan& only = found.plans.at(0);
  EXPECT_EQ(json::write(only.default_provision_parameters), R"({"size":2})");
  EXPECT_EQ(json::write(only.default_binding_parameters), R"({"role":"rw"})");
  EXPECT_EQ(json::write(only.default_secret_transform),
            R"([{"renameKey":{"from":"a","to":"b"}},{"removeKey":{"key":"c"}}])");
  EXPECT_EQ(catalog.problems.size(), 1U);
}

TEST(Catalog, ManyPlansDoNotMultiplyTheAttributesOfTheirService) {
  const auto with_plans = [](size_t count, size_t length = 245) {
    std::vector<std::string> tags, plans;
    for (size_t i = 0; i < 200; ++i) tags.push_back(quoted("a" + std::to_string(i) + "=" + std::string(length, 'x')));
    for (size_t i = 0; i < count; ++i) plans.push_back(plan("p" + std::to_string(i)));
    return read(service("s", R"("tags":[)" + join(tags, ",") + "],", join(plans, ",")));
  };
  const Catalog few = with_plans(10);
  EXPECT_THAT(few.problems, IsEmpty());
  EXPECT_EQ(few.services[0].plans[9].attributes.size(), 200U);
  const Catalog many = with_plans(1'000);  // 50 MB of attributes
  EXPECT_THAT(many.problems, ElementsAre(HasSubstr("do not inherit its attributes")));
  EXPECT_EQ(many.services[0].plans.size(), 1'000U);
  EXPECT_THAT(many.services[0].plans[999].attributes, IsEmpty());
  const Catalog short_ones = with_plans(1'000, 0);
  EXPECT_THAT(short_ones.problems, ElementsAre(HasSubstr("do not inherit its attributes")))
      << "200,000 attributes take memory, however short they are";
}

TEST(Catalog, IDsOfOneHashCostNoMoreThanOthers) {
  constexpr size_t kMost = 4096;
  const auto ids = chandler::testing::texts_of_one_hash(kMost);
  ASSERT_TRUE(chandler::testing::have_one_hash(ids));
  EXPECT_TRUE(chandler::testing::is_linear(kMost, [&](size_t size) -> chandler::testing::Growth::Work {
    std::string plans;
    for (size_t i = 0; i < size; ++i) {
      plans += fmt::format(R"({}{{"id":"{}","name":"p{}","description":"d"}})", i == 0 ? "" : ",", ids[i], i);
    }
    auto body = json::parse(R"({"services":[)" + service("s", "", plans) + "]}");
    return [body = std::move(body).value(), size] {
      EXPECT_EQ(parse_catalog(body, BrokerText(Sensitive()))->services[0].plans.size(), size);
    };
  }));
}

}  // namespace
}  // namespace chandler::osb
