// What a review costs with large requests and a large policy.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "auth/reviews.h"
#include "auth/token_file.h"
#include "support/growth.h"

namespace chandler::auth {
namespace {

using testing::Growth;

// A role of so many rules, bound to the user jane.
std::shared_ptr<Policy> policy_of(size_t rules) {
  json::Array list;
  for (size_t i = 0; i < rules; ++i) {
    list.push_back(
        json::Object{{"verbs", json::Array{"*"}}, {"apiGroups", json::Array{"*"}}, {"resources", json::Array{"*/s"}}});
  }
  auto policy = std::make_shared<Policy>();
  policy->apply(
      json::Object{{"kind", "ClusterRole"}, {"metadata", json::Object{{"name", "own"}}}, {"rules", std::move(list)}});
  policy->apply(json::Object{{"kind", "ClusterRoleBinding"},
                             {"metadata", json::Object{{"name", "own"}}},
                             {"roleRef", json::Object{{"kind", "ClusterRole"}, {"name", "own"}}},
                             {"subjects", json::Array{json::Object{{"kind", "User"}, {"name", "jane"}}}}});
  return policy;
}

json::Value access_request(std::string_view resource, std::string_view subresource) {
  return json::Object{
      {"spec", json::Object{{"user", "jane"},
                            {"resourceAttributes",
                             json::Object{{"verb", "get"}, {"resource", resource}, {"subresource", subresource}}}}}};
}

std::vector<std::string> audiences(size_t count) {
  std::vector<std::string> out;
  for (size_t i = 0; i < count; ++i) out.push_back("audience" + std::to_string(i));
  return out;
}

// The longest text stays below the size from which malloc() maps each block again, which would look like growth.
std::string long_text(size_t size, char letter) { return std::string(50 * size, letter); }

TEST(Review, CostsInProportionToRequestAndPolicy) {
  struct Row {
    std::string name;
    std::string reason;
    size_t largest;
    std::function<Growth::Work(size_t)> prepare;
  };
  const std::vector<Row> rows = {
      {"long resource", "resource and subresource are put together once, not for each rule", 800,
       [](size_t size) -> Growth::Work {
         const auto request = access_request(long_text(size, 'r'), long_text(size, 's'));
         return [policy = policy_of(size), request] { EXPECT_TRUE(subject_access_review(request, *policy).ok()); };
       }},
      {"long resource without a subresource", "is searched for a slash once", 800,
       [](size_t size) -> Growth::Work {
         const auto request = access_request(long_text(size, 'r'), "");
         return [policy = policy_of(size), request] { EXPECT_TRUE(subject_access_review(request, *policy).ok()); };
       }},
      {"audiences", "each wanted audience is searched among those of the token", 8'000,
       [](size_t size) -> Growth::Work {
         auto tokens = std::make_shared<TokenFile>(*TokenFile::parse("t,jane,u", "tokens", audiences(size)));
         auto wanted = audiences(2 * size);
         wanted.erase(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(size) - 1);
         json::Value request = json::Object{
             {"spec", json::Object{{"token", "t"}, {"audiences", json::Array(wanted.begin(), wanted.end())}}}};
         return [tokens, request = std::move(request)] {
           const auto answer = token_review(request, *tokens);
           ASSERT_TRUE(answer.ok());
           EXPECT_EQ(answer->at("status").at("audiences").as_array().size(), 1u);
         };
       }},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    EXPECT_TRUE(testing::is_linear(row.largest, row.prepare));
  }
}

}  // namespace
}  // namespace chandler::auth
