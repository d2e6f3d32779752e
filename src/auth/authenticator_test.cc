#include "auth/authenticator.h"

#include <gtest/gtest.h>

#include "auth/token_file.h"

namespace chandler::auth {
namespace {

using Texts = std::vector<std::string>;

// Knows the token "mine", refuses the token "stale", says nothing about others.
class OneToken final : public Authenticator {
 public:
  Result<std::optional<Identity>> authenticate(const Credentials& credentials) const override {
    if (credentials.bearer_token == "stale") return fail(refused("stale"));
    if (credentials.bearer_token != "mine") return std::optional<Identity>();
    Identity identity;
    identity.user.name = "token-user";
    return std::optional(std::move(identity));
  }
};

Chain make_chain() { return Chain({std::make_shared<OneToken>(), std::make_shared<ClientCertificates>()}); }

TEST(Chain, DecidesByWhatIsOffered) {
  struct Row {
    std::string name;
    std::string reason;
    std::string token;
    std::string common_name;
    std::string want;  // the user, "anonymous" or "refused"
  };
  const std::vector<Row> rows = {
      {"nothing", "without any credential the caller goes on as anonymous", "", "", "anonymous"},
      {"good token", "one method that accepts is enough", "mine", "", "token-user"},
      {"certificate", "the second method may accept too", "", "jane", "jane"},
      {"unknown token", "a credential that nobody accepts is a failure, not anonymous", "other", "", "refused"},
      {"bad token", "a refused credential is a failure", "stale", "", "refused"},
      {"bad token, good certificate", "any method may succeed", "stale", "jane", "jane"},
      {"both good", "the first method of the chain decides", "mine", "jane", "token-user"},
  };
  const auto chain = make_chain();
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    Credentials credentials;
    credentials.bearer_token = row.token;
    credentials.common_name = row.common_name;
    const auto got = chain.authenticate(credentials);
    if (row.want == "refused") {
      ASSERT_FALSE(got.ok());
      EXPECT_EQ(got.error().http(), 401);
      continue;
    }
    ASSERT_TRUE(got.ok());
    ASSERT_EQ(got->has_value(), row.want != "anonymous");
    if (got->has_value()) {
      EXPECT_EQ((*got)->user.name, row.want);
      EXPECT_EQ((*got)->user.groups, Texts{"system:authenticated"});
    }
  }
}

TEST(Chain, KeepsTheReasonOfARefusalButNotTheToken) {
  Credentials credentials;
  credentials.bearer_token = "stale";
  EXPECT_EQ(make_chain().authenticate(credentials).error().message, "stale");
  credentials.bearer_token = "s3cr3t";
  EXPECT_EQ(make_chain().authenticate(credentials).error().message.find("s3cr3t"), std::string::npos);
}

TEST(ClientCertificates, TakeGroupsFromOrganizationsAndAuthenticatedOnlyOnce) {
  const Texts organizations = {"dev", "system:authenticated"};
  Credentials credentials;
  credentials.common_name = "jane";
  credentials.organizations = &organizations;
  const auto got = make_chain().authenticate(credentials);
  ASSERT_TRUE(got.ok() && got->has_value());
  EXPECT_EQ((*got)->user.groups, organizations);
}

TEST(User, AnonymousIsUnauthenticated) {
  EXPECT_EQ(anonymous().name, "system:anonymous");
  EXPECT_EQ(anonymous().groups, Texts{"system:unauthenticated"});
}

TEST(TokenFile, ReadsUsersWithGroups) {
  const auto file = TokenFile::parse(
      "t1,jane,u1,\"dev,ops\"\r\n"
      "\n"
      "t2,joe,\n"
      "\"t,3\",\"a \"\"b\"\"\",u3,dev\n",
      "tokens.csv", {"api"});
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->size(), 3u);
  const auto user = [&](std::string_view token) {
    Credentials credentials;
    credentials.bearer_token = token;
    auto got = file->authenticate(credentials);
    return got.ok() && got->has_value() ? (*got)->user : User{};
  };
  EXPECT_EQ(user("t1"), (User{"jane", "u1", {"dev", "ops"}, {}}));
  EXPECT_EQ(user("t2"), (User{"joe", "", {}, {}}));
  EXPECT_EQ(user("t,3"), (User{"a \"b\"", "u3", {"dev"}, {}}));
  EXPECT_EQ(user("t"), User{});
  EXPECT_EQ(user(""), User{});
}

TEST(TokenFile, NamesTheLineOfAFaultAndNeverTheToken) {
  struct Row {
    std::string name;
    std::string reason;
    std::string text;
    std::string want;
  };
  const std::vector<Row> rows = {
      {"columns", "user and uid are required columns", "s3cr3t,jane\n", "line 1: not three or four columns"},
      {"too many", "groups form one quoted column", "a,b,c,d\ns3cr3t,jane,u,dev,ops", "line 2: not three or four"},
      {"no token", "an empty token would let everybody in", ",jane,u", "line 1: the token is empty"},
      {"no user", "a user has a name", "s3cr3t,,u", "line 1: the user is empty"},
      {"twice", "which user would it be?", "s3cr3t,a,1\ns3cr3t,b,2", "line 2: the same token"},
      {"open quote", "a quote left open swallows the rest", "s3cr3t,a,1,\"g", "line 1: quotes do not pair"},
      {"quote inside", "quotes enclose a whole column", "s3cr3t,a\"b\",1", "line 1: quotes do not pair"},
      {"after quote", "quotes enclose a whole column", "s3cr3t,\"a\"b,1", "line 1: quotes do not pair"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto file = TokenFile::parse(row.text, "tokens.csv", {});
    ASSERT_FALSE(file.ok());
    EXPECT_NE(file.error().message.find("tokens.csv, " + row.want), std::string::npos) << file.error().message;
    EXPECT_EQ(file.error().message.find("s3cr3t"), std::string::npos);
  }
}

TEST(TokenFile, IsGoodForThisServerOnly) {
  const auto file = TokenFile::parse("t,jane,u", "tokens.csv", {"api"});
  Credentials credentials;
  credentials.bearer_token = "t";
  EXPECT_EQ((*file->authenticate(credentials))->audiences, Texts{"api"});
  const Texts wanted = {"other", "api"};
  credentials.audiences = &wanted;
  EXPECT_EQ((*file->authenticate(credentials))->audiences, Texts{"api"});
  const Texts other = {"other"};
  credentials.audiences = &other;
  EXPECT_FALSE(file->authenticate(credentials).ok());
}

TEST(Audiences, AreThoseThatBothSidesName) {
  Texts many;
  for (int i = 0; i < 100; ++i) many.push_back("a" + std::to_string(i));
  struct Row {
    std::string name;
    std::string reason;
    Texts have;
    Texts wanted;
    Texts want;
  };
  const std::vector<Row> rows = {
      {"few", "in the order of what is wanted", {"a", "b", "c"}, {"c", "x", "a"}, {"c", "a"}},
      {"many", "the same when they are searched in another way", many, {"a99", "x", "a0", "a50"}, {"a99", "a0", "a50"}},
      {"none", "nothing in common", many, {"x"}, {}},
      {"twice", "wanted twice is listed twice", many, {"a1", "a1"}, {"a1", "a1"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    EXPECT_EQ(common_audiences(row.have, &row.wanted), row.want);
  }
  EXPECT_EQ(common_audiences(many, nullptr), many);
}

}  // namespace
}  // namespace chandler::auth
