#include "client/warning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace chandler::client {
namespace {

using ::testing::ElementsAreArray;

TEST(Warnings, AreReadFromTheirHeaders) {
  const struct {
    std::vector<std::string> values;
    std::vector<std::string> texts;
    const char* reason;
  } rows[] = {
      {{}, {}, "nothing is nothing"},
      {{R"(299 - "unknown field \"spec.x\"")"}, {R"(unknown field "spec.x")"}, "as an API server sends it"},
      {{R"(299 - "a")", R"(299 - "b")"}, {"a", "b"}, "several fields"},
      {{R"(299 - "a, b", 299 agent "c" "Sun, 15 Nov 2026 12:00:00 GMT", 299 - "d")"},
       {"a, b", "c", "d"},
       "several in one field, one with its date"},
      {{R"(199 - "misc", 299 - "kept")"}, {"kept"}, "other codes are for caches"},
      {{R"(299 - "back\\slash")"}, {R"(back\slash)"}, "backslashes"},
      {{R"(299 - "no end)", "299 -", "299", "", R"(299 - "\)"}, {}, "what is not well-formed is left out"},
      {{R"(299 - "")"}, {}, "an empty text says nothing"},
  };
  for (const auto& row : rows) {
    http::Headers headers;
    for (const auto& value : row.values) headers.add("warning", value);
    EXPECT_THAT(warnings_of(headers), ElementsAreArray(row.texts)) << row.reason;
  }
}

}  // namespace
}  // namespace chandler::client
