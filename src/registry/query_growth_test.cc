// A list with many terms over many objects costs in proportion to terms and objects, not to their product. Objects and
// terms grow together here.
#include <map>

#include "registry/collection.h"
#include "registry/collection_fixture.h"
#include "support/growth.h"

namespace chandler::registry {
namespace {

using chandler::testing::Growth;
using chandler::testing::is_linear;
using testing::query;
using testing::widget_reading;
using testing::widgets;
using testing::Writer;

constexpr size_t kMost = 800;

std::string repeat(size_t count, const std::function<std::string(const std::string& number)>& term) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text.append(i == 0 ? "" : ",").append(term(std::to_string(i)));
  return text;
}

size_t count(const Collection& collection, const Query& wanted) {
  size_t found = 0;
  collection.scan(wanted, {}, 0, [&](const DocumentPtr&) {
    ++found;
    return true;
  });
  return found;
}

std::shared_ptr<Collection> collection_of(size_t objects) {
  auto collection = std::make_shared<Collection>(widget_reading());
  Writer writer(*collection);
  for (size_t i = 0; i < objects; ++i) {
    writer.put("ns", "w" + std::to_string(i), "{metadata: {labels: {app: web, number: '9'}}, spec: {color: red}}");
  }
  return collection;
}

TEST(Query, CostsTermsAndObjectsNotTheirProduct) {
  struct Row {
    const char* name;
    const char* reason;
    std::function<std::string(size_t)> labels;
    std::function<std::string(size_t)> fields;
    bool all;  // objects match, or none
  };
  const auto nothing = [](size_t) { return std::string(); };
  const auto terms = [](const std::string& before, const std::string& after) {
    return [=](size_t n) { return repeat(n, [&](const std::string& number) { return before + number + after; }); };
  };
  const auto set = [](const std::string& before, const std::string& after) {
    return [=](size_t n) { return before + repeat(n, [](const auto& number) { return "v" + number; }) + after; };
  };
  const std::vector<Row> rows = {
      {"absent keys", "every term holds", terms("!k", ""), nothing, true},
      {"other values", "of keys that no object has", terms("k", "!=v"), nothing, true},
      {"other values of one key", "every term holds", terms("app!=v", ""), nothing, true},
      {"other sets of one key", "every term holds", terms("app notin (v", ",x)"), nothing, true},
      {"large sets to leave out", "the value is searched for", set("app notin (", ")"), nothing, true},
      {"large set", "the value is searched for", set("app in (web,", ")"), nothing, true},
      {"sets of one key", "every term holds", terms("app in (web,v", ")"), nothing, true},
      {"same term", "every term holds", terms("app,app!=x", ",app=web"), nothing, true},
      {"numbers", "every term holds", terms("number<1", ",number>0"), nothing, true},
      {"missing at the end", "the last term does not hold", [=](size_t n) { return terms("!k", "")(n) + ",!app"; },
       nothing, false},
      {"contradiction", "two values of one key", terms("app in (web,z),app in (v", ",z)"), nothing, false},
      {"other names", "every term holds", nothing, terms("metadata.name!=n", ""), true},
      {"other namespaces", "every term holds", nothing, terms("metadata.namespace!=n", ""), true},
      {"other fields", "every term holds", nothing, terms("spec.color!=c", ""), true},
      {"same field", "every term holds", nothing, terms("spec.color!=c", ",spec.color=red"), true},
      {"two values of a field", "contradictory", nothing, terms("spec.color=c", ""), false},
      {"two names", "contradictory", nothing, terms("metadata.name=n", ""), false},
  };
  std::map<size_t, std::shared_ptr<Collection>> collections;
  for (size_t size = kMost; size >= kMost / 8; size /= 2) collections[size] = collection_of(size);
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string(row.name) + ": " + row.reason);
    EXPECT_TRUE(is_linear(kMost, [&](size_t size) -> Growth::Work {
      const auto& objects = *collections.at(size);
      return [&objects, labels = row.labels(size), fields = row.fields(size), want = row.all ? size : 0] {
        EXPECT_EQ(count(objects, query(*widgets(), "", labels, fields)), want);
      };
    }));
  }
}

TEST(Query, CostsLabelsAndTermsNotTheirProduct) {
  EXPECT_TRUE(is_linear(2 * kMost, [&](size_t size) -> Growth::Work {
    const auto labels = repeat(size, [](const auto& number) { return "k" + number + ": v"; });
    const auto object =
        Document::from_stored(testing::stored_widget("ns", "w", "{metadata: {labels: {" + labels + "}}}"), 1, {});
    const auto wanted = query(*widgets(), "", repeat(size, [](const auto& number) { return "k" + number + "=v"; }));
    return [object = *object, wanted] { EXPECT_TRUE(wanted.matches(*object)); };
  }));
}

}  // namespace
}  // namespace chandler::registry
