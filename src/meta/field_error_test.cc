#include "meta/field_error.h"

#include <gtest/gtest.h>

namespace chandler::meta {
namespace {

TEST(Path, PrintsMembersIndexesAndKeysAsTheApiDoes) {
  EXPECT_EQ(Path().member("spec").member("ports").index(0).member("name").str(), "spec.ports[0].name");
  EXPECT_EQ(Path("metadata").member("labels").key("a/b").str(), "metadata.labels[a/b]");
  EXPECT_EQ(Path().index(3).str(), "[3]");
  EXPECT_EQ(Path().str(), "");
}

TEST(Path, IsCutWhenItIsTooLong) {
  const Path path = Path("spec").member(std::string(4090, 'x') + "\xC3\xBC").member("a").key("b").index(3);
  EXPECT_EQ(path.str(), "spec." + std::string(4090, 'x') + "...");
  EXPECT_EQ(Path(std::string(5000, 'x')).str(), std::string(4096, 'x') + "...");
}

TEST(FieldErrors, WordsEveryReasonAsTheApiDoes) {
  FieldErrors errors;
  const Path path("f");
  errors.required(path);
  errors.required(path, "say it");
  errors.invalid(path, json::Value(3), "too odd");
  errors.invalid(path, "x\"y", "quotes");
  errors.type_invalid(path, json::Value(true), "must be a string");
  errors.not_supported(path, json::Value("c"), {"a", "b"});
  errors.duplicate(path, json::Value("d"));
  errors.forbidden(path, "not now");
  errors.not_found(path, "gone");
  errors.too_long(path, 5);
  errors.too_many(path, 3, 2);
  const std::vector<Cause> want = {
      {"FieldValueRequired", "Required value", "f"},
      {"FieldValueRequired", "Required value: say it", "f"},
      {"FieldValueInvalid", "Invalid value: 3: too odd", "f"},
      {"FieldValueInvalid", R"(Invalid value: "x\"y": quotes)", "f"},
      {"FieldValueTypeInvalid", "Invalid value: true: must be a string", "f"},
      {"FieldValueNotSupported", R"(Unsupported value: "c": supported values: "a", "b")", "f"},
      {"FieldValueDuplicate", R"(Duplicate value: "d")", "f"},
      {"FieldValueForbidden", "Forbidden: not now", "f"},
      {"FieldValueNotFound", R"(Not found: "gone")", "f"},
      {"FieldValueTooLong", "Too long: may not be more than 5 characters", "f"},
      {"FieldValueTooMany", "Too many: 3: must have at most 2 items", "f"},
  };
  EXPECT_EQ(errors.causes(), want);
}

TEST(FieldErrors, ShowsOnlyTheBeginningOfAHugeValueAndCutsBetweenCharacters) {
  FieldErrors errors;
  errors.invalid(Path("f"), std::string(255, 'x') + "\xC3\xBC" + std::string(5000, 'y'), "long");
  EXPECT_EQ(errors.causes()[0].message, "Invalid value: \"" + std::string(255, 'x') + "...: long");
}

TEST(FieldErrors, CountsFaultsThatItHasNoRoomToDescribe) {
  FieldErrors errors;
  const Path path(std::string(4000, 'x'));
  for (int i = 0; i < 2000; ++i) errors.required(path);
  EXPECT_EQ(errors.size(), 2000U);
  size_t bytes = 0;
  for (const auto& cause : errors.causes()) {
    EXPECT_EQ(cause.reason, "FieldValueRequired");
    bytes += cause.field.size() + cause.message.size();
  }
  EXPECT_LT(bytes, 5U * 1024 * 1024);
  EXPECT_EQ(errors.causes().back().field, "");
}

}  // namespace
}  // namespace chandler::meta
