#include "resolve/external_id.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace chandler::resolve {
namespace {

TEST(ExternalId, IsMadeOfWhatUrlsCarryUnchanged) {
  struct Row {
    std::string name;
    std::string reason;
    std::string id;
    std::string fault;  // how it begins; empty: the ID is good
  };
  const std::vector<Row> rows = {
      {"uuid", "what is generated", "6f0bdd4c-9f0e-4b0b-a8d5-0d1c2f3e4a5b", ""},
      {"word", "what users choose", "shop-db", ""},
      {"all characters", "RFC 3986, unreserved", "AZaz09-._~", ""},
      {"three dots", "a name like any other", "...", ""},
      {"dot first", "a name like any other", ".a", ""},
      {"one character", "a name like any other", "~", ""},
      {"long", "the schema has the bound", std::string(253, 'a'), ""},
      {"empty", "it would be the URL of all instances", "", "must not be empty"},
      {"dot", "a proxy drops it from the path", ".", "must not be '.' or '..'"},
      {"two dots", "a proxy takes the segment before it away", "..", "must not be '.' or '..'"},
      {"slash", "it would be two segments", "a/b", "may contain only"},
      {"backslash", "some servers take it for a slash", "a\\b", "may contain only"},
      {"question mark", "a query would begin", "a?b", "may contain only"},
      {"number sign", "a fragment would begin", "a#b", "may contain only"},
      {"percent", "it could be decoded twice", "a%2fb", "may contain only"},
      {"plus", "some decode it to a space", "a+b", "may contain only"},
      {"colon", "reserved", "a:b", "may contain only"},
      {"semicolon", "path parameters begin with it", "a;b", "may contain only"},
      {"at", "reserved", "a@b", "may contain only"},
      {"space", "URLs have none", "a b", "may contain only"},
      {"line", "it could begin another header or line of a log", "a\nb", "may contain only"},
      {"null byte", "C programs end there", std::string("a\0b", 3), "may contain only"},
      {"beyond ASCII", "equal letters have several encodings", "caf\xc3\xa9", "may contain only"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto fault = external_id_fault(row.id);
    EXPECT_EQ(fault.empty(), row.fault.empty()) << fault;
    EXPECT_TRUE(fault.starts_with(row.fault)) << fault;
  }
}

}  // namespace
}  // namespace chandler::resolve
