#include "registry/query.h"

#include "registry/registry_fixture.h"

namespace chandler::registry {
namespace {

using testing::query;
using testing::stored_widget;
using testing::widgets;

TEST(Query, SelectsByNamespaceNameLabelsAndFields) {
  const auto object = Document::from_stored(
      stored_widget("shop", "cart", "{metadata: {labels: {app: web, tier: ''}}, spec: {color: red}}"), 1,
      widgets()->storage_version().selectable);
  ASSERT_TRUE(object.ok());
  struct Row {
    std::string name;
    std::string reason;
    std::string ns, labels, fields;
    bool want;
  };
  const std::vector<Row> rows = {
      {"everything", "an empty query is all objects", "", "", "", true},
      {"namespace", "of the request", "shop", "", "", true},
      {"other namespace", "of the request", "sho", "", "", false},
      {"label", "equality", "", "app=web", "", true},
      {"label value", "equality", "", "app=we", "", false},
      {"empty label", "an empty value is a value", "", "tier=", "", true},
      {"absent label", "an absent label has no value, not an empty one", "", "env=", "", false},
      {"absent label differs", "!= holds for objects without the label", "", "env!=x", "", true},
      {"label set", "in", "", "app in (db,web)", "", true},
      {"two requirements", "all of them must hold", "", "app=web,tier=x", "", false},
      {"name", "metadata.name is always selectable", "", "", "metadata.name=cart", true},
      {"other name", "metadata.name is always selectable", "", "", "metadata.name=car", false},
      {"not the name", "an inequality", "", "", "metadata.name!=cart", false},
      {"field namespace", "metadata.namespace narrows", "", "", "metadata.namespace=shop", true},
      {"not the namespace", "an inequality", "", "", "metadata.namespace!=shop", false},
      {"contradiction", "the request is for another namespace", "shop", "", "metadata.namespace=bank", false},
      {"two names", "no object has two", "", "", "metadata.name=cart,metadata.name=a", false},
      {"same name twice", "says nothing new", "", "", "metadata.name=cart,metadata.name=cart", true},
      {"empty name", "no object has an empty name", "", "", "metadata.name=", false},
      {"field", "a selectable field", "", "", "spec.color=red", true},
      {"field differs", "a selectable field", "", "", "spec.color!=red", false},
      {"absent field", "an absent field counts as empty", "", "", "spec.size=", true},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    EXPECT_EQ(query(*widgets(), row.ns, row.labels, row.fields).matches(**object), row.want);
  }
}

TEST(Query, NarrowsNamespaceAndNameForTheIndexes) {
  const auto one = query(*widgets(), "", "", "metadata.name=cart,metadata.namespace=shop");
  EXPECT_EQ(one.ns(), "shop");
  EXPECT_EQ(one.name(), "cart");
  EXPECT_TRUE(one.selective());
  EXPECT_FALSE(query(*widgets(), "shop").selective()) << "a namespace alone is a plain range";
  EXPECT_TRUE(query(*widgets(), "", "", "metadata.name!=a").selective());
  EXPECT_TRUE(query(*widgets(), "a", "", "metadata.namespace=b").nothing());
}

TEST(Query, RefusesFieldsThatAreNotSelectable) {
  const auto refused = [](const Kind& kind, std::string_view fields) {
    const auto selector = meta::FieldSelector::parse(fields);
    const auto made = Query::make(kind, kind.storage_version(), "", meta::LabelSelector(), *selector);
    return made.ok() ? "" : made.error().message;
  };
  EXPECT_EQ(refused(*widgets(), "status.phase=x"), "field label not supported: status.phase");
  EXPECT_EQ(refused(*widgets(), "spec=x"), "field label not supported: spec");
  EXPECT_EQ(refused(*widgets(), "spec.color=x"), "");
  const auto cluster_wide = testing::new_widgets();
  cluster_wide->namespaced = false;
  EXPECT_NE(refused(*cluster_wide, "metadata.namespace=x"), "") << "such objects have no namespace";
}

}  // namespace
}  // namespace chandler::registry
