// docs/reference/bundled-catalog.md says what the bundled brokers offer, and is made from it: run with
// CHANDLER_UPDATE_GOLDEN=1 to write it anew.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "brokers/database/offer.h"
#include "brokers/mysql/mysql_engine.h"
#include "brokers/postgresql/postgresql_engine.h"
#include "brokers/redis/redis_engine.h"
#include "brokers/sqlite/sqlite_catalog.h"
#include "json/writer.h"
#include "support/source_path.h"

namespace chandler::brokers {
namespace {

const json::Value& at(const json::Value& value, std::initializer_list<std::string_view> path) {
  static const json::Value none = json::Object();
  const auto* found = json::find_path(value, path);
  return found == nullptr ? none : *found;
}

std::string words_of(const json::Value& owner, std::string_view key) {
  std::vector<std::string> words;
  if (const auto* list = json::array_at(owner, key)) {
    for (const auto& word : *list) words.push_back("`" + std::string(json::view(word.get_string())) + "`");
  }
  return join(words, ", ");
}

std::string bounds_of(const json::Value& rule) {
  if (json::array_at(rule, "enum") != nullptr) return words_of(rule, "enum");
  if (const auto low = json::int_at(rule, "minimum")) {
    return fmt::format("{} to {}", *low, json::int_at(rule, "maximum").value_or(0));
  }
  return json::string_or(rule, "type");
}

// A table row for each parameter of the schema; `suggested` is what Chandler sends when the user says nothing.
std::string parameters(const json::Value& schema, const json::Value& of_class, const json::Value& of_plan) {
  std::string rows;
  for (const auto& member : at(schema, {"parameters", "properties"}).as_object()) {
    const std::string name(member.key());
    const auto* suggested =
        json::find(of_plan, name) != nullptr ? json::find(of_plan, name) : json::find(of_class, name);
    rows += fmt::format("| `{}` | {} | {} | {} |\n", name, bounds_of(member.value()),
                        suggested == nullptr ? "" : "`" + json::write(*suggested) + "`",
                        json::string_or(member.value(), "description"));
  }
  return "| Parameter | May be | Suggested | Meaning |\n| --- | --- | --- | --- |\n" + rows;
}

std::string reference_of(const json::Value& service) {
  const auto& metadata = at(service, {"metadata"});
  std::string text =
      fmt::format("\n## {}\n\n{}. {}\n\nClass `{}`, ID `{}`, tags {}.\n", json::string_or(metadata, "displayName"),
                  json::string_or(service, "description"), json::string_or(metadata, "longDescription"),
                  json::string_or(service, "name"), json::string_or(service, "id"), words_of(service, "tags"));
  if (const auto* transform = json::find(metadata, "defaultSecretTransform")) {
    text += fmt::format("\nSuggested secret transform: `{}`.\n", json::write(*transform));
  }
  for (const auto& plan : *json::array_at(service, "plans")) {
    text += fmt::format(
        "\n### Plan {}\n\n{}. ID `{}`, tags {}. {}.\n\n", json::string_or(plan, "name"),
        json::string_or(plan, "description"), json::string_or(plan, "id"), words_of(at(plan, {"metadata"}), "tags"),
        json::bool_at(plan, "plan_updateable").value_or(false) ? "An instance can change to another plan of the class"
                                                               : "An instance stays with this plan");
    text +=
        parameters(at(plan, {"schemas", "service_instance", "create"}), at(metadata, {"defaultProvisionParameters"}),
                   at(plan, {"metadata", "defaultProvisionParameters"}));
  }
  const auto& first = json::array_at(service, "plans")->at(0);
  text += "\n### Bindings\n\n" + parameters(at(first, {"schemas", "service_binding", "create"}),
                                            at(metadata, {"defaultBindingParameters"}), json::Object());
  return text;
}

std::string whole_reference() {
  std::string text =
      "# The bundled catalog\n\nMade from the code by `src/brokers/catalog_reference_test.cc`; do not edit. How to use "
      "it: "
      "[database-brokers.md](../guides/database-brokers.md).\n\nParameters that are not given get the suggested "
      "values. "
      "Those of an instance can be changed later, except `server`. Every plan is free and bindable.\n";
  text += reference_of(at(sqlite_catalog(), {"services"}).as_array().at(0));
  for (const auto* offer : {&mysql_offer(), &postgresql_offer(), &redis_offer()})
    text += reference_of(catalog_entry(*offer));
  return text;
}

TEST(CatalogReference, IsWhatIsOffered) {
  const auto path = chandler::testing::source_path("docs/reference/bundled-catalog.md");
  const auto expected = whole_reference();
  if (std::getenv("CHANDLER_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << expected;
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), expected) << "run with CHANDLER_UPDATE_GOLDEN=1";
}

}  // namespace
}  // namespace chandler::brokers
