#include "resolve/object_name.h"

#include <gtest/gtest.h>

#include "meta/names.h"
#include "resolve/selector_hash.h"

namespace chandler::resolve {
namespace {

struct Row {
  std::string_view name, reason, id, want;
};

TEST(ObjectName, IsMadeOfTheIdentifier) {
  const std::string long_name(63, 'a');
  const Row rows[] = {
      {"uuid", "a usual identifier stays", "997b8372-8dac-40ac-ae65-758b4a5075a5",
       "997b8372-8dac-40ac-ae65-758b4a5075a5"},
      {"caps", "capitals are escaped", "ContainsCaps", "z43zontainsz43zaps"},
      {"z", "the escape character is escaped", "contains-escape-char-z", "contains-escape-char-z7az"},
      {"dot-dash", "no dash after a dot", "adjacent.-specialchars", "adjacent.z2dzspecialchars"},
      {"dash-dot", "no dot after a dash", "a-.b", "a-z2ezb"},
      {"dot-dot", "no dot after a dot; the escaped one does not count", "a...b", "a.z2ez.b"},
      {"dash-dash", "dashes may follow each other", "a--b", "a--b"},
      {"ends-dash", "no dash at either end", "-x-", "z2dzxz2dz"},
      {"ends-dot", "no dot at either end", ".x.", "z2ezxz2ez"},
      {"only-dash", "first and last at once", "-", "z2dz"},
      {"underscore", "other signs", "a_b c/d", "az5fzbz20zcz2fzd"},
      {"non-ascii", "code points, not bytes", "\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x8E", "zfczz20aczz1f60ez"},
      {"ill-formed", "bytes that are no text", "a\xFF\xC3z", "azfffdzzfffdzz7az"},
      {"63", "just fits", long_name, long_name},
      {"long", "beginning and digest", "thisnameisreallyreallywaytoolonghowcouldanyonepossiblyreadthisplansname",
       "thisnameisreallyreallywaytoolo-3f54131bf8c96c7d946ee1d7a32136dd"},
      {"empty", "nothing gives nothing", "", ""},
  };
  for (const Row& row : rows) EXPECT_EQ(object_name_of_id(row.id), row.want) << row.name << ": " << row.reason;
}

TEST(ObjectName, ALongNameLosesTheDotBeforeItsDigest) {
  const std::string id = std::string(29, 'a') + "." + std::string(40, 'b');
  const std::string name = object_name_of_id(id);
  EXPECT_TRUE(name.starts_with(std::string(29, 'a') + "-")) << name;
  EXPECT_EQ(name.size(), 62u);
}

TEST(ObjectName, IsAlwaysAValidName) {
  for (std::string_view id :
       {"A", "..", "-.-.", "zzzz", "a.b-c", "\x01", " ", "Ünïcödé-ïdéntïfïér-thät-ïs-löng-enough-to-be-cut"}) {
    const std::string name = object_name_of_id(id);
    EXPECT_EQ(meta::check_dns1123_subdomain(name), "") << id << " -> " << name;
    EXPECT_LE(name.size(), 63u);
  }
}

TEST(ObjectName, TheOwnerMakesATakenNameUnique) {
  EXPECT_EQ(plan_name_when_taken("small", "mysql-id"), "small-mysql-id");
  EXPECT_EQ(class_name_when_taken("mysql", "Azure"), "mysql-z41zz7azure");
  const std::string id = "997b8372-8dac-40ac-ae65-758b4a5075a5";
  const std::string name = plan_name_when_taken(id, id);
  EXPECT_EQ(name.size(), 63u);
  EXPECT_TRUE(name.starts_with("997b8372-8dac-40ac-ae65-758b4a-")) << name;
  EXPECT_NE(name, plan_name_when_taken(id, "997b8372-8dac-40ac-ae65-758b4a5075a6"));
}

TEST(SelectorHash, IsTheSha224OfTheText) {
  EXPECT_EQ(selector_label_key("spec.externalName"), "servicecatalog.k8s.io/spec.externalName");
  // The vectors of FIPS 180-2 for "abc" and of RFC 3874 for nothing.
  EXPECT_EQ(selector_label_value("abc"), "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7");
  EXPECT_EQ(selector_label_value(""), "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f");
}

}  // namespace
}  // namespace chandler::resolve
