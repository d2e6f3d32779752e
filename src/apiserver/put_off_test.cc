// Requests whose authentication must find something out first.
#include <gmock/gmock.h>

#include "apiserver/whole_server_fixture.h"

namespace chandler::apiserver {
namespace {

using ::testing::HasSubstr;

// Knows the token "good" once it has been told so.
class LateTokens final : public auth::Authenticator {
 public:
  Result<std::optional<auth::Identity>> authenticate(const auth::Credentials& credentials) const override {
    if (credentials.bearer_token.empty()) return std::optional<auth::Identity>();
    if (!known || credentials.bearer_token != "good") return fail(auth::refused("not known yet"));
    auth::Identity identity;
    identity.user.name = "late";
    identity.user.groups = {std::string(auth::kMasters)};
    return std::optional(std::move(identity));
  }
  bool ask_again_later(const auth::Credentials&, std::function<void()> again) const override {
    waiting.push_back(std::move(again));
    return true;
  }
  void tell(bool knows) {
    known = knows;
    auto all = std::move(waiting);
    waiting.clear();
    for (const auto& again : all) again();
  }

  bool known = false;
  mutable std::vector<std::function<void()>> waiting;
};

class PutOffTest : public ::testing::Test {
 protected:
  static constexpr auto kGet = http::Method::kGet;
  static constexpr auto kPost = http::Method::kPost;

  void send(http::Method method, std::string_view target, std::string_view body, const std::string& token) {
    http::Headers headers;
    headers.add("Authorization", "Bearer " + token);
    server_.send(method, target, body, "", "", headers);
  }

  std::shared_ptr<LateTokens> tokens_ = std::make_shared<LateTokens>();
  testing::WholeServer server_{tokens_};
};

TEST_F(PutOffTest, ARequestWaitsWithoutAnAnswerAndThenGoesOn) {
  send(kGet, "/api/v1/namespaces/none", "", "good");
  EXPECT_EQ(server_.answers.count(), 0U);
  tokens_->tell(true);
  ASSERT_EQ(server_.answers.count(), 1U);
  EXPECT_THAT(server_.answers.first(), HasSubstr("404 "));
}

TEST_F(PutOffTest, ItWaitsOnce) {
  send(kGet, "/api/v1/namespaces/none", "", "bad");
  EXPECT_EQ(server_.answers.count(), 0U);
  tokens_->tell(true);
  ASSERT_EQ(server_.answers.count(), 1U);
  EXPECT_THAT(server_.answers.first(), HasSubstr("401 "));
  EXPECT_TRUE(tokens_->waiting.empty());
}

TEST_F(PutOffTest, SoDoesATokenReview) {
  server_.send(kPost, "/apis/authentication.k8s.io/v1/tokenreviews", R"({"spec":{"token":"good"}})", "admin",
               std::string(auth::kMasters));
  EXPECT_EQ(server_.answers.count(), 0U);
  tokens_->tell(true);
  ASSERT_EQ(server_.answers.count(), 1U);
  EXPECT_THAT(server_.answers.first(), HasSubstr(R"("username":"late")"));
  server_.answers.clear();
  server_.send(kPost, "/apis/authentication.k8s.io/v1/tokenreviews", R"({"spec":{"token":"bad"}})", "admin",
               std::string(auth::kMasters));
  tokens_->tell(true);
  ASSERT_EQ(server_.answers.count(), 1U);
  EXPECT_THAT(server_.answers.first(), HasSubstr("not known yet"));
}

}  // namespace
}  // namespace chandler::apiserver
