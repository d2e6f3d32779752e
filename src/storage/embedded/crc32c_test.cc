#include "storage/embedded/crc32c.h"

#include <string>

#include <gtest/gtest.h>

namespace chandler::storage {
namespace {

TEST(Crc32c, GivesThePublishedValues) {
  struct Row {
    const char* name;
    const char* reason;
    std::string input;
    uint32_t want;
  };
  std::string rising;
  for (char c = 0; c < 32; ++c) rising.push_back(c);
  const Row rows[] = {
      {"nothing", "the sum over nothing is 0", "", 0},
      {"digits", "the check value of the algorithm", "123456789", 0xe3069283},
      {"zeros", "RFC 3720 B.4", std::string(32, '\0'), 0x8a9136aa},
      {"ones", "RFC 3720 B.4", std::string(32, '\xff'), 0x62a8ab43},
      {"rising", "RFC 3720 B.4", rising, 0x46dd794e},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(crc32c(row.input), row.want) << row.name << ": " << row.reason;
    EXPECT_EQ(crc32c_portable(row.input), row.want) << row.name << ": " << row.reason;
  }
}

TEST(Crc32c, OverPiecesEqualsOverTheWhole) {
  const std::string whole = "the quick brown fox jumps over the lazy dog";
  for (size_t cut = 0; cut <= whole.size(); ++cut) {
    EXPECT_EQ(crc32c(whole.substr(cut), crc32c(whole.substr(0, cut))), crc32c(whole)) << cut;
  }
}

}  // namespace
}  // namespace chandler::storage
