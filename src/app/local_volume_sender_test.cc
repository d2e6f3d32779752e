#include "app/local_volume_sender.h"

#include <stdlib.h>

#include <filesystem>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/volume_family.h"
#include "reconcilers/volume/local_calls.h"

namespace chandler::app {
namespace {

namespace fs = std::filesystem;

class LocalVolumeSenderTest : public ::testing::Test {
 protected:
  LocalVolumeSenderTest() {
    EXPECT_NE(::mkdtemp(directory.data()), nullptr);
    const auto opened = sender.open({{"p", directory + "/pool", "z"}});
    EXPECT_TRUE(opened.ok());
  }
  ~LocalVolumeSenderTest() override { fs::remove_all(directory); }
  osb::Answer ask(const controller::BrokerCall& call) {
    std::promise<osb::Answer> answer;
    sender.send(call.endpoint, call.call, [&](osb::Answer given) { answer.set_value(std::move(given)); });
    return answer.get_future().get();
  }

  std::string directory = (fs::temp_directory_path() / "chandler-volumes-XXXXXX").string();
  LocalVolumeSender sender;
  reconcilers::LocalOrder order{.pool = "p",
                                .form = "directory",
                                .bytes = 1,
                                .mode = "0750",
                                .class_name = "c",
                                .reclaim_policy = "Delete",
                                .labels = {}};
};

TEST_F(LocalVolumeSenderTest, CarriesOutWhatTheReconcilersAskFor) {
  const auto made = ask(reconcilers::make_call("pvc-1", order));
  ASSERT_EQ(made.status, 201) << made.description;
  const auto path = json::string_or(made.body, "path");
  EXPECT_TRUE(fs::is_directory(path));
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0750));
  EXPECT_EQ(ask(reconcilers::remove_call("pvc-1", "p")).status, 200);
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(LocalVolumeSenderTest, RefusesWithAReason) {
  order.form = "tape";
  EXPECT_EQ(ask(reconcilers::make_call("pvc-1", order)).status, 400);
  order.form = "directory";
  order.mode = "7777";
  EXPECT_EQ(ask(reconcilers::make_call("pvc-1", order)).status, 400);
  order.mode = "0750";
  order.pool = "q";
  const auto unknown = ask(reconcilers::make_call("pvc-1", order));
  EXPECT_EQ(unknown.status, 404);
  EXPECT_NE(unknown.description, "");
  EXPECT_EQ(ask(reconcilers::remove_call("../x", "p")).status, 400);
}

TEST(VolumeFamily, FlagsAreChecked) {
  VolumeOptions options;
  EXPECT_TRUE(volume_family(options).ok());
  options.local_volume_pools = {"nonsense"};
  const auto family = volume_family(options);
  ASSERT_FALSE(family.ok());
  EXPECT_THAT(family.error().message, ::testing::HasSubstr("--local-volume-pool"));
}

}  // namespace
}  // namespace chandler::app
