// Selectors are parsed, read from bodies, written and matched in proportion to their size.
#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include "meta/selector.h"
#include "support/growth.h"

namespace chandler::meta {
namespace {

using testing::Growth;

std::string repeat(size_t count, const std::function<std::string(const std::string& number)>& term) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text.append(i == 0 ? "" : ",").append(term(std::to_string(i)));
  return text;
}

TEST(LabelSelector, CostsInProportionToItsTerms) {
  struct Row {
    const char* reason;
    std::function<std::string(size_t)> text;
    bool parses = true;
  };
  const auto terms = [](const std::string& before, const std::string& after) {
    return [=](size_t n) { return repeat(n, [&](const std::string& number) { return before + number + after; }); };
  };
  const auto set = [](const std::string& word) {
    return
        [=](size_t n) { return "a " + word + " (" + repeat(n, [](const auto& number) { return "v" + number; }) + ")"; };
  };
  const auto sets = [](const std::string& word) {
    return
        [=](size_t n) { return repeat(n, [&](const auto& number) { return "a " + word + " (v" + number + ",w)"; }); };
  };
  const Row rows[] = {
      {"different keys exist", terms("k", "")},
      {"different keys do not exist", terms("!k", "")},
      {"equalities of different keys", terms("k", "=v")},
      {"equalities of one key", terms("a=v", "")},
      {"inequalities of different keys", terms("k", "!=v")},
      {"inequalities of one key", terms("a!=v", "")},
      {"greater, one key", terms("a>", "")},
      {"less, different keys", terms("k", "<5")},
      {"one large set", set("in")},
      {"one large set to leave out", set("notin")},
      {"many sets of one key", sets("in")},
      {"many sets of one key to leave out", sets("notin")},
      {"long prefixes", terms(std::string(200, 'x') + "/k", "=v")},
      {"blanks", [](size_t n) { return std::string(n * 10, ' ') + "a"; }},
      {"symbols", [](size_t n) { return std::string(n * 10, '('); }, false},
      {"a long identifier", [](size_t n) { return std::string(n * 10, 'x'); }, false},
      {"a fault at the end", [&](size_t n) { return terms("k", "=v")(n) + ",="; }, false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.reason);
    EXPECT_TRUE(testing::is_linear(1600, [&](size_t size) -> Growth::Work {
      return [text = row.text(size), &row] {
        const auto selector = LabelSelector::parse(text);
        ASSERT_EQ(selector.ok(), row.parses);
        if (!row.parses) return;
        const auto copy = *selector;
        EXPECT_FALSE(copy.str().empty());
        copy.matches([](std::string_view) { return std::string_view("v7"); });
        copy.matches([](std::string_view) { return std::nullopt; });
      };
    }));
  }
}

TEST(LabelSelector, CostsInProportionToItsBody) {
  struct Row {
    const char* reason;
    std::function<void(json::Object& selector, size_t n)> fill;
    bool valid = true;
  };
  const auto expression = [](const std::string& key, std::string_view op, json::Array values) {
    json::Object made{{"key", key}, {"operator", op}};
    if (!values.empty()) made["values"] = std::move(values);
    return made;
  };
  const auto expressions = [expression](const std::string& key, bool number_keys, std::string_view op,
                                        bool with_value) {
    return [=](json::Object& selector, size_t n) {
      json::Array list;
      for (size_t i = 0; i < n; ++i) {
        const auto number = std::to_string(i);
        list.push_back(
            expression(number_keys ? key + number : key, op, with_value ? json::Array{"v" + number} : json::Array()));
      }
      selector["matchExpressions"] = std::move(list);
    };
  };
  const auto values = [expression](std::string_view op, const std::string& value) {
    return [=](json::Object& selector, size_t n) {
      json::Array list;
      for (size_t i = 0; i < n; ++i) list.push_back(json::Value(value + std::to_string(i)));
      selector["matchExpressions"] = json::Array{expression("a", op, std::move(list))};
    };
  };
  const Row rows[] = {
      {"labels",
       [](json::Object& selector, size_t n) {
         json::Object labels;
         for (size_t i = 0; i < n; ++i) labels["k" + std::to_string(i)] = "v";
         selector["matchLabels"] = std::move(labels);
       }},
      {"sets of different keys", expressions("k", true, "In", true)},
      {"sets of one key", expressions("a", false, "NotIn", true)},
      {"existence of different keys", expressions("k", true, "Exists", false)},
      {"absence of one key", expressions("a", false, "DoesNotExist", false)},
      {"values", values("In", "v")},
      {"values to leave out", values("NotIn", "v")},
      {"a fault in every value", values("In", "-"), false},
      {"a fault in every key", expressions("-k", true, "Exists", false), false},
      {"a fault in every operator", expressions("k", true, "Like", true), false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.reason);
    EXPECT_TRUE(testing::is_linear(1600, [&](size_t size) -> Growth::Work {
      json::Object body;
      row.fill(body, size);
      return [value = json::Value(std::move(body)), &row] {
        const auto selector = LabelSelector::from_json(value, "spec.selector");
        ASSERT_EQ(selector.ok(), row.valid);
        EXPECT_FALSE(row.valid && selector->str().empty());
      };
    }));
  }
}

TEST(FieldSelector, CostsInProportionToItsTerms) {
  struct Row {
    const char* reason;
    std::function<std::string(const std::string& number)> term;
    bool parses = true;
  };
  const Row rows[] = {
      {"equalities of one field", [](const auto& number) { return "metadata.name=n" + number; }},
      {"inequalities of one field", [](const auto& number) { return "metadata.name!=n" + number; }},
      {"different fields", [](const auto& number) { return "spec.f" + number + "=v"; }},
      {"escapes", [](const auto& number) { return R"(a=\,\=\\)" + number; }},
      {"empty terms", [](const auto&) { return std::string(); }},
      {"escapes before the operator", [](const auto&) { return R"(\=\=\=)"; }, false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.reason);
    EXPECT_TRUE(testing::is_linear(1600, [&](size_t size) -> Growth::Work {
      return [text = repeat(size, row.term), &row] {
        const auto selector = FieldSelector::parse(text);
        ASSERT_EQ(selector.ok(), row.parses);
        if (!row.parses) return;
        EXPECT_EQ(selector->str().empty(), selector->empty());
        EXPECT_FALSE(selector->required_value("none").has_value());
      };
    }));
  }
}

}  // namespace
}  // namespace chandler::meta
