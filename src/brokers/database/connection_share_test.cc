#include "brokers/database/connection_share.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace chandler::brokers {
namespace {

using ::testing::HasSubstr;

Tenant tenant(int64_t wanted, int64_t together) {
  Tenant made;
  made.settings = json::Object{{"maxConnections", wanted}};
  made.max_connections = together;
  return made;
}

TEST(ConnectionShare, IsWhatWasAskedForOrAPartOfWhatTheInstanceMayHave) {
  struct Row {
    const char* reason;
    int64_t wanted;
    int64_t together;
    size_t logins;
    int64_t want;
  };
  for (const auto& row : std::vector<Row>{
           {"one login gets what was asked for", 20, 100, 1, 20},
           {"as long as all of them can have it", 20, 100, 5, 20},
           {"then they share", 20, 100, 6, 16},
           {"large wishes share at once", 100, 100, 2, 50},
           {"each has one at least", 100, 100, 100, 1},
           {"before there is a login", 20, 100, 0, 20},
           {"a server that serves nobody else", 100, 0, 7, 100},
       }) {
    EXPECT_EQ(connection_share(tenant(row.wanted, row.together), row.logins).value().value(), row.want) << row.reason;
  }
}

TEST(ConnectionShare, AWholeServerHasItsOwnLimit) {
  Tenant whole;
  whole.is_whole_server = true;
  EXPECT_FALSE(connection_share(whole, 3).value().has_value());
}

TEST(ConnectionShare, NeverAddsUpToMoreThanTheInstanceMayHave) {
  for (int64_t wanted = 1; wanted <= 200; wanted += 7) {
    for (size_t logins = 1; logins <= 200; ++logins) {
      EXPECT_LE(*connection_share(tenant(wanted, 200), logins).value() * static_cast<int64_t>(logins), 200);
    }
  }
  const auto refused = connection_share(tenant(1, 200), 201);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kInvalid);
  EXPECT_THAT(refused.error().message, HasSubstr("no more than 200 bindings"));
}

}  // namespace
}  // namespace chandler::brokers
