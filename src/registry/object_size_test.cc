// Bounds on what an object may become in the store.

#include "base/text.h"
#include "registry/objects.h"
#include "registry/objects_fixture.h"

namespace chandler::registry {
namespace {

using testing::widgets;
using testing::yaml;

// Each empty part gets the default text. v2 knows of no default.
KindPtr gadgets(const std::string& default_text) {
  const auto kind = testing::load(yaml(R"(
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            parts:
              type: array
              items: {type: object, properties: {text: {type: string, default: )" +
                                       default_text + R"(}}}
    - name: v2
      served: true
      storage: false
      schema:
        openAPIV3Schema:
          type: object
          properties:
            parts: {type: array, items: {type: object}}
)"));
  kind->crd_uid = "of a custom resource";
  return kind;
}

std::string parts(size_t count) { return "parts: [" + join(std::vector<std::string>(count, "{}"), ",") + "]"; }

const std::string kLong(10'000, 'x');
constexpr size_t kMany = 2'000;

class ObjectSizeTest : public ObjectsTest {};

TEST_F(ObjectSizeTest, AnObjectThatDefaultsMakeTooLargeIsRefused) {
  const auto kind = gadgets(kLong);
  ASSERT_TRUE(world_.cache.serve(*kind).ok());
  const auto refused = create(kind, "{metadata: {name: a, namespace: ns}, " + parts(kMany) + "}");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kRequestEntityTooLarge);
  ASSERT_TRUE(create(kind, "{metadata: {name: a, namespace: ns}, parts: [{}]}").ok());
  const auto by_other_version = request(kind);
  by_other_version->version = kind->version("v2");
  const auto not_stored =
      objects_.create_and_wait(by_other_version, yaml("{metadata: {name: b, namespace: ns}, " + parts(kMany) + "}"));
  ASSERT_FALSE(not_stored.ok()) << "v2 has no defaults, but the version that is stored has";
  EXPECT_EQ(not_stored.error().reason, Reason::kRequestEntityTooLarge);
  const auto grown = patch(kind, "a", [](json::Value& object) {
    object.as_object()["parts"] = json::Array(kMany, json::Value(json::Object()));
  });
  ASSERT_FALSE(grown.ok());
  EXPECT_EQ(grown.error().reason, Reason::kRequestEntityTooLarge);
  EXPECT_EQ(get(kind, "a").at("parts").as_array().size(), 1U);
}

TEST_F(ObjectSizeTest, DefaultsThatCameLaterDoNotKeepAnObjectFromBeingDeleted) {
  const auto before = gadgets("''");
  ASSERT_TRUE(world_.cache.serve(*before).ok());
  const auto by_other_version = request(before);
  by_other_version->version = before->version("v2");
  ASSERT_TRUE(objects_
                  .create_and_wait(by_other_version, yaml("{metadata: {name: a, namespace: ns, finalizers: "
                                                          "[example.com/one, example.com/two]}, " +
                                                          parts(kMany) + "}"))
                  .ok());
  // Stored are parts with an empty text: now with none, as one writes that never knew it.
  const auto after = gadgets(kLong);
  const auto drop_finalizer = [](json::Value& object) {
    object.as_object()["parts"] = json::Array(kMany, json::Value(json::Object()));
    object.at("metadata").as_object()["finalizers"].as_array().pop_back();
  };
  EXPECT_EQ(patch(after, "a", drop_finalizer).error().reason, Reason::kRequestEntityTooLarge);
  ASSERT_TRUE(remove(after, "a").ok());
  const auto one = patch(after, "a", drop_finalizer);
  ASSERT_TRUE(one.ok()) << one.error().message;
  const auto last = patch(after, "a", drop_finalizer);
  ASSERT_TRUE(last.ok()) << last.error().message;
  EXPECT_TRUE(last->removed);
}

TEST_F(ObjectSizeTest, AnObjectDoesNotGrowWithoutEnd) {
  ASSERT_TRUE(create(widgets(), "{metadata: {name: a}, spec: {color: red}}").ok());
  const std::string large(size_t{17} << 20, 'x');
  const auto refused = patch(widgets(), "a", [&](json::Value& object) { paint(object, large); });
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kRequestEntityTooLarge);
  EXPECT_EQ(json::string_or(get(widgets(), "a").at("spec"), "color"), "red");
}

}  // namespace
}  // namespace chandler::registry
