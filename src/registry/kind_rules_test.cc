#include "registry/kind_rules.h"

#include <fmt/format.h>

#include "base/file.h"
#include "registry/registry_fixture.h"
#include "support/source_path.h"

namespace chandler::registry {
namespace {

using testing::yaml;

std::vector<std::string> faults(const json::Value& rules) {
  Kind kind;
  kind.versions.emplace_back();
  meta::FieldErrors errors;
  read_kind_rules(rules, kind, errors);
  std::vector<std::string> fields;
  for (const auto& cause : errors.causes()) fields.push_back(cause.field);
  return fields;
}

struct Row {
  std::string reason;
  std::string rules;  // besides apiVersion and kind
  std::vector<std::string> faults;
};

TEST(KindRules, AreReadStrictly) {
  const std::vector<Row> rows{
      {"nothing need be said", "", {}},
      {"every value of a flag", "encrypted: true, generation: false", {}},
      {"a misspelled key would leave objects unsealed", "encrypt: true", {"encrypt"}},
      {"keys have one spelling", "Encrypted: true", {"Encrypted"}},
      {"a text is not a flag", "encrypted: 'true'", {"encrypted"}},
      {"null is not a flag", "encrypted: null", {"encrypted"}},
      {"an unknown word is not the default", "nameRule: dns1123", {"nameRule"}},
      {"a rule of names is a text", "nameRule: [dns1123-label]", {"nameRule"}},
      {"verbs are those of RBAC", "verbs: [get, remove, deletecollection]", {"verbs[1]"}},
      {"verbs are a list", "verbs: get", {"verbs"}},
      {"paths are texts", "immutable: [spec.a, 1, ''], setOnce: {}", {"immutable[1]", "immutable[2]", "setOnce"}},
      {"a kind that shares its objects names the other", "storedAs: ''", {"storedAs"}},
      {"a column has no other members", "columns: [{name: A, path: .a}, x]", {"columns[0].path", "columns[1]"}},
      {"members have types",
       "columns: [{name: A, priority: high, jsonPath: 1, default: {any: thing}}]",
       {"columns[0].priority", "columns[0].jsonPath"}},
      {"a selectable field has a name", "selectableFields: [{path: .a}]", {"selectableFields[0].field"}},
      {"it has no other members",
       "selectableFields: [{field: a, folded: true}, {field: b, fold: yes-please}]",
       {"selectableFields[0].folded", "selectableFields[1].fold"}},
      {"all faults are reported at once", "a: 1, b: 2", {"a", "b"}},
  };
  for (const auto& row : rows) {
    const auto text =
        fmt::format("{{apiVersion: chandler.io/v1, kind: KindRules{}{}}}", row.rules.empty() ? "" : ", ", row.rules);
    EXPECT_EQ(faults(yaml(text)), row.faults) << row.reason;
  }
}

TEST(KindRules, AreADocumentOfTheirOwnKind) {
  EXPECT_EQ(faults(yaml("{encrypted: true}")), std::vector<std::string>{"kind"});
  EXPECT_EQ(faults(yaml("{apiVersion: v1, kind: KindRules}")), std::vector<std::string>{"kind"});
  EXPECT_EQ(faults(yaml("[]")), std::vector<std::string>{""});
}

TEST(KindRules, AreApplied) {
  Kind kind;
  kind.versions.resize(2);
  meta::FieldErrors errors;
  read_kind_rules(yaml(R"(
apiVersion: chandler.io/v1
kind: KindRules
builtin: true
nameRule: path-segment
generation: false
encrypted: true
stored: false
storedAs: core/events
verbs: [get, list]
immutable: [spec.a.b]
setOnce: [.spec.c]
columns: [{name: A, type: integer, jsonPath: .a, priority: 1}]
selectableFields: [{field: spec.id.folded, path: spec.id, fold: true}, {field: spec.x, default: "0"}]
)"),
                  kind, errors);
  ASSERT_TRUE(errors.empty()) << errors.causes()[0].message;
  EXPECT_TRUE(kind.builtin && kind.encrypted);
  EXPECT_FALSE(kind.generation || kind.stored || kind.create_on_update);
  EXPECT_EQ(kind.name_rule, meta::NameRule::kPathSegment);
  EXPECT_EQ(kind.stored_as, "core/events");
  EXPECT_EQ(kind.verbs, bit(Verb::kGet) | bit(Verb::kList));
  EXPECT_EQ(kind.immutable, (std::vector<std::vector<std::string>>{{"spec", "a", "b"}}));
  EXPECT_EQ(kind.set_once, (std::vector<std::vector<std::string>>{{"spec", "c"}}));
  for (const auto& version : kind.versions) {
    ASSERT_EQ(version.columns.size(), 1U);
    EXPECT_EQ(version.columns[0].priority, 1);
    EXPECT_EQ(version.selectable, (std::vector<SelectableField>{{"spec.id.folded", {"spec", "id"}, "", true},
                                                                {"spec.x", {"spec", "x"}, "0"}}));
  }
}

TEST(KindRules, AreListedInTheReadme) {
  std::string table = "| Key | Takes | If absent | Meaning |\n| --- | --- | --- | --- |\n";
  for (const auto& rule : kind_rules()) {
    table += fmt::format("| `{}` | {} | {} | {} |\n", rule.key, rule.takes, rule.if_absent, rule.meaning);
  }
  const auto readme = read_file(chandler::testing::source_path("api/README.md").string());
  ASSERT_TRUE(readme.ok()) << readme.error().message;
  EXPECT_NE(readme->find(table), std::string::npos) << "api/README.md should have this table:\n" << table;
}

}  // namespace
}  // namespace chandler::registry
