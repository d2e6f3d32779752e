#include "app/checksum_key.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "controller/fake_api.h"
#include "json/reader.h"
#include "reconcilers/catalog/kinds.h"

namespace chandler::app {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kName = "chandler-parameter-checksums";

std::string checksum(const Result<resolve::ChecksumKey>& key) {
  return key.ok() ? key->checksum("uid", json::parse(R"({"a":1})").value()) : key.error().message;
}

TEST(ChecksumKeySecret, IsMadeOnceAndSharedByAllCandidates) {
  controller::FakeApi api;
  const auto first = checksum(checksum_key(api));
  EXPECT_THAT(api.log, ::testing::ElementsAre("create secrets kube-system/chandler-parameter-checksums"));
  EXPECT_EQ(checksum(checksum_key(api)), first);
  EXPECT_EQ(api.log.size(), 1u);
  controller::FakeApi other;
  EXPECT_NE(checksum(checksum_key(other)), first) << "each installation has its own";
}

TEST(ChecksumKeySecret, TheOneOfAnotherCandidateIsTaken) {
  controller::FakeApi api;
  std::string theirs;
  bool is_first = true;
  api.fail_before = [&](const client::Write&) -> std::optional<Error> {
    if (std::exchange(is_first, false)) theirs = checksum(checksum_key(api));  // who was faster
    return std::nullopt;
  };
  EXPECT_EQ(checksum(checksum_key(api)), theirs);
}

TEST(ChecksumKeySecret, WithoutTheSecretNothingStarts) {
  controller::FakeApi api;
  api.fail_before = [](const client::Write&) { return unavailable("no storage"); };
  EXPECT_THAT(checksum(checksum_key(api)), HasSubstr("no storage"));
}

TEST(ChecksumKeySecret, ASecretThatWasDamagedIsRefusedByName) {
  for (const auto& data : {std::string("{}"), std::string("{key: ''}"), std::string("{key: '***'}"),
                           "{key: " + base64_encode("short") + "}"}) {
    controller::FakeApi api;
    api.put(reconcilers::kSecrets,
            fmt::format("{{kind: Secret, metadata: {{name: {}, namespace: kube-system}}, data: {}}}", kName, data));
    EXPECT_THAT(checksum(checksum_key(api)), HasSubstr("Secret kube-system/chandler-parameter-checksums")) << data;
    EXPECT_TRUE(api.log.empty()) << "it is not written over";
  }
}

}  // namespace
}  // namespace chandler::app
