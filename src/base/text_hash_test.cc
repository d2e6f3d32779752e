#include "base/text_hash.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "support/colliding_texts.h"

namespace chandler {
namespace {

// The values are those of Python's hash() of the same bytes with PYTHONHASHSEED=0, which is SipHash-1-3 with this key.
TEST(SipHash, IsTheHashThatOthersCompute) {
  struct Row {
    std::string_view text;
    uint64_t hash;
  };
  for (const Row& row : {Row{"a", 0x407448d2b89b1813}, Row{"abc", 0xc03bc3a0042630f2},
                         Row{"abcdefgh", 0x3f7b849c0b8e35ea}, Row{"0123456789abcdefghij", 0xc39bc23d6720e4da}}) {
    EXPECT_EQ(sip_hash(row.text, {0, 0}), row.hash) << row.text;
  }
}

TEST(SipHash, DependsOnBothHalvesOfTheKey) {
  EXPECT_NE(sip_hash("a", {0, 0}), sip_hash("a", {1, 0}));
  EXPECT_NE(sip_hash("a", {0, 0}), sip_hash("a", {0, 1}));
}

TEST(HashText, UsesOneKeyOfTheProcess) {
  EXPECT_EQ(hash_text("a"), hash_text(std::string(1, 'a')));
  EXPECT_NE(hash_text("a"), sip_hash("a", {0, 0}));
}

TEST(HashText, TellsTextsOfOneStandardHashApart) {
  const auto texts = testing::texts_of_one_hash(500);
  ASSERT_TRUE(testing::have_one_hash(texts)) << "the standard library hashes in another way: change the generator";
  std::set<uint64_t> hashes;
  for (const auto& text : texts) hashes.insert(hash_text(text));
  EXPECT_EQ(hashes.size(), texts.size());
}

}  // namespace
}  // namespace chandler
