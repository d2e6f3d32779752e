#include "resolve/provided_record.h"

#include <gtest/gtest.h>

namespace chandler::resolve {
namespace {

json::Value offer_with(std::string_view record) {
  json::Object annotations;
  annotations[kProvidedFieldsAnnotation] = record;
  json::Object metadata;
  metadata["annotations"] = std::move(annotations);
  json::Object offer;
  offer["metadata"] = std::move(metadata);
  return offer;
}

TEST(ProvidedRecord, ListsItsPaths) {
  const auto offer = offer_with("spec.description,spec.externalMetadata");
  EXPECT_EQ(provided_fields_of(offer), (std::vector<std::string_view>{"spec.description", "spec.externalMetadata"}));
}

TEST(ProvidedRecord, NoAnnotationIsNoRecord) {
  for (const auto& offer : {json::Value(), json::Value(json::Object()), offer_with("")}) {
    EXPECT_TRUE(provided_fields_of(offer).empty());
    EXPECT_FALSE(is_provided(offer, "spec.description"));
  }
}

TEST(ProvidedRecord, APathStandsForWhatIsBelowIt) {
  const auto offer = offer_with("spec.externalMetadata.tags,spec.tagsOfAll");
  const struct {
    const char* path;
    bool provided;
    const char* reason;
  } rows[] = {
      {"spec.externalMetadata.tags", true, "itself"},
      {"spec.externalMetadata", true, "a part of it is the broker's"},
      {"spec.tags", false, "only the beginning of another name"},
      {"spec.description", false, "not there"},
  };
  for (const auto& row : rows) EXPECT_EQ(is_provided(offer, row.path), row.provided) << row.reason;
}

}  // namespace
}  // namespace chandler::resolve
