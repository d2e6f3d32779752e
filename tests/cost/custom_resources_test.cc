// Custom resources under schemas that make the server compare, look up and remember.
#include "cost/cost_lab.h"
#include "cost/shapes.h"

namespace chandler::cost {
namespace {

constexpr std::string_view kSchema = R"({type: object, properties: {
  map: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name, kind], items: {
    type: object, required: [name, kind], properties: {
      name: {type: string}, kind: {type: string}, size: {type: integer, minimum: 10}}}},
  set: {type: array, x-kubernetes-list-type: set, items: {type: string}},
  choice: {type: array, items: {type: string, enum: [CHOICES]}},
  free: {type: object, x-kubernetes-preserve-unknown-fields: true},
  counted: {type: object, additionalProperties: {type: integer, minimum: 10}},
  any: {type: array, items: {type: object, properties: {a: {type: integer}}, anyOf: [{required: [a]}, {required: [b]}]}},
  nullable: {type: object, additionalProperties: {type: string, nullable: true}},
  wrapped: {type: array, items: {type: object, x-kubernetes-embedded-resource: true,
            x-kubernetes-preserve-unknown-fields: true}}}})";

std::string json_of(std::string_view yaml) {
  const auto parsed = json::parse_yaml(yaml);
  CH_CHECK(parsed.ok());
  return json::write(*parsed);
}

// A small change of a stored object: all of it is checked again, beside what it was.
::chandler::testing::Growth::Work change_of(CostLab& lab, const std::string& object) {
  const auto name = fmt::format("w{}", object.size());
  lab.store("example.com", "widgets", name, object);
  const Message message{Method::kPatch, fmt::format("{}/{}?dryRun=All", kWidgets, name),
                        R"({"metadata":{"labels":{"a":"b"}}})", "application/merge-patch+json"};
  const auto answer = lab.send(message);
  EXPECT_EQ(answer.status, 200) << answer.body.substr(0, 300);
  return [&lab, message] { lab.send(message); };
}

class CostOfCustomResources : public ::testing::Test {
 protected:
  CostOfCustomResources() {
    std::string schema(kSchema);
    schema.replace(schema.find("CHOICES"), 7, repeat(500, [](size_t i) { return fmt::format("choice-{}", i); }));
    lab_.serve(definition(json_of(schema)));
  }
  static Message make(std::string_view spec) { return create(kWidgets, widget(fmt::format("{{{}}}", spec))); }

  CostLab lab_;
};

TEST_F(CostOfCustomResources, GrowsWithWhatTheSchemaChecks) {
  lab_.check({
      {"a map list", "keys are unique", 20'000, 201,
       [](size_t n) { return make(R"("map":[)" + numbered(n, R"({{"name":"n{0}","kind":"k","size":10}})") + "]"); }},
      {"equal keys of a map list", "each is a cause", 20'000, 422,
       [](size_t n) { return make(R"("map":[)" + numbered(n, R"({{"name":"n","kind":"k","size":10}})") + "]"); }},
      {"faulty items", "each is a cause", 20'000, 422,
       [](size_t n) { return make(R"("map":[)" + numbered(n, R"({{"name":"n{0}","kind":"k","size":1}})") + "]"); }},
      {"a set", "items are unique", 40'000, 201,
       [](size_t n) { return make(R"("set":[)" + numbered(n, R"("s{0}")") + "]"); }},
      {"equal items of a set", "each is a cause", 40'000, 422,
       [](size_t n) { return make(R"("set":[)" + numbered(n, R"("s")") + "]"); }},
      {"unsupported values", "each cause lists what is supported", 20'000, 422,
       [](size_t n) { return make(R"("choice":[)" + numbered(n, R"("c{0}")") + "]"); }},
      {"free members", "kept as they are", 40'000, 201,
       [](size_t n) { return make(R"("free":{)" + numbered(n, R"("f{0}":"v")") + "}"); }},
      {"unknown members", "each is removed", 40'000, 201, [](size_t n) { return make(numbered(n, R"("f{0}":"v")")); }},
      {"faulty members", "each is a cause", 40'000, 422,
       [](size_t n) { return make(R"("counted":{)" + numbered(n, R"("f{0}":1)") + "}"); }},
      {"failed alternatives", "each is a cause", 20'000, 422,
       [](size_t n) { return make(R"("any":[)" + numbered(n, "{{}}") + "]"); }},
      {"null members", "kept where they may be null", 40'000, 201,
       [](size_t n) { return make(R"("nullable":{)" + numbered(n, R"("f{0}":null)") + "}"); }},
      {"embedded resources", "each has metadata", 4'000, 201,
       [](size_t n) {
         return make(
             R"("wrapped":[)" +
             numbered(n, R"({{"apiVersion":"v1","kind":"K","metadata":{{"name":"n{0}","labels":{{"a":"b"}}}}}})") +
             "]");
       }},
      {"faulty embedded resources", "each is a cause", 4'000, 422,
       [](size_t n) {
         return make(R"("wrapped":[)" +
                     numbered(n, R"({{"apiVersion":"v1","kind":"K","metadata":{{"labels":{{"a":"b {0}"}}}}}})") + "]");
       }},
  });
}

// What was wrong before and has not changed is let pass, so each fault is compared with the stored object.
TEST_F(CostOfCustomResources, GrowsWithFaultsThatWereThereBefore) {
  struct Row {
    std::string name;
    std::string reason;
    size_t largest;
    std::string field;
    std::string item;
  };
  const std::vector<Row> rows = {
      {"faulty items of a map list", "each is found by its key", 20'000, "map",
       R"({{"name":"n{0}","kind":"k","size":1}})"},
      {"equal items of a set", "the set is compared once", 40'000, "set", R"("s")"},
      {"unsupported values", "found by position", 20'000, "choice", R"("c{0}")"},
      {"failed alternatives", "found by position", 20'000, "any", "{{}}"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto result = ::chandler::testing::is_linear(row.largest, [&](size_t n) -> testing::Growth::Work {
      return change_of(lab_, widget(fmt::format(R"({{"{}":[{}]}})", row.field, numbered(n, row.item))));
    });
    EXPECT_TRUE(result);
    std::printf("  %-34s %s\n", row.name.c_str(), result.message());
  }
}

constexpr std::string_view kRules = R"(
type: object
x-kubernetes-validations: [{rule: '!has(self.l) || self.l.all(x, x != "x")'}]
properties:
  l: {type: array, maxItems: 20000, items: {type: string, maxLength: 100}}
  m:
    type: array
    maxItems: 20000
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [name]
    items:
      type: object
      required: [name]
      x-kubernetes-validations: [{rule: 'self.name != "x"'}]
      properties:
        name: {type: string, maxLength: 10}
        a: {type: integer, x-kubernetes-validations: [{rule: self >= oldSelf}]}
)";

TEST(CostOfRules, GrowsWithTheObject) {
  CostLab lab;
  lab.serve(definition(json_of(kRules)));
  lab.check({
      {"a comprehension", "within its budget", 10'000, 201,
       [](size_t n) { return create(kWidgets, widget(R"({"l":[)" + numbered(n, R"("s{0}")") + "]}")); }},
      {"a rule of each item", "within its budget", 10'000, 201,
       [](size_t n) {
         return create(kWidgets, widget(R"({"m":[)" + numbered(n, R"({{"name":"n{0}","a":1}})") + "]}"));
       }},
  });
  const auto result = ::chandler::testing::is_linear(10'000, [&](size_t n) -> testing::Growth::Work {
    return change_of(lab, widget(R"({"m":[)" + numbered(n, R"({{"name":"n{0}","a":1}})") + "]}"));
  });
  EXPECT_TRUE(result) << "each item finds its old state by its key";
}

}  // namespace
}  // namespace chandler::cost
