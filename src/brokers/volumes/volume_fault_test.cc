// Every single call of the operating system fails once, at every place where a pool makes it. What is asked for again
// afterwards is there once or not at all, and what users wrote is never lost.
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "brokers/temp_directory_fixture.h"
#include "brokers/volumes/faulty_file_calls.h"
#include "brokers/volumes/loop_mount.h"
#include "brokers/volumes/volume_pools.h"

namespace chandler::brokers {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kImageBytes = uint64_t{8} * 1024 * 1024;
constexpr int kMostCalls = 500;  // far more than there are: the loops end by themselves

struct FaultRow {
  VolumeForm form;
  int error;
};

class VolumeFault : public ::testing::TestWithParam<FaultRow> {
 protected:
  void SetUp() override {
    if (GetParam().form != VolumeForm::kImage) return;
    if (const auto lacks = loop::missing(); !lacks.empty()) GTEST_SKIP() << "no images on this machine: " << lacks;
  }
  void TearDown() override {
    calls.fail_at(0, 0);
    if (pools != nullptr) static_cast<void>(pools->remove("p", order.id));  // a mount would outlive the test
  }

  void open() {
    auto opened = VolumePools::open({{"p", temp.path() + "/pool", "z"}}, calls);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    pools = std::move(opened).value();
  }
  // Everything that lies in the pool, but for the log of a program.
  std::set<std::string> names() const {
    std::set<std::string> out;
    for (const auto* folder : {"volumes", "images", "mounts"}) {
      for (const auto& entry : fs::directory_iterator(temp.path() + "/pool/" + folder)) {
        const auto name = entry.path().filename().string();
        if (name != "mkfs.log") out.insert(fmt::format("{}/{}", folder, name));
      }
    }
    return out;
  }
  std::set<std::string> one_volume() const {
    if (order.form == VolumeForm::kDirectory) return {"volumes/pvc-1"};
    return {"images/pvc-1.img", "mounts/pvc-1"};
  }
  void expect_one_volume() {
    const auto made = pools->make(order);
    ASSERT_TRUE(made.ok()) << made.error().message;
    EXPECT_EQ(names(), one_volume());
    struct stat status {};
    ASSERT_EQ(::stat(made->c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, order.mode);
  }
  void expect_nothing() {
    const auto removed = pools->remove("p", order.id);
    ASSERT_TRUE(removed.ok()) << removed.error().message;
    EXPECT_EQ(names(), std::set<std::string>());
  }
  std::string place() const {
    return temp.path() + (order.form == VolumeForm::kImage ? "/pool/mounts/pvc-1" : "/pool/volumes/pvc-1");
  }
  void write_content() const {
    fs::create_directories(place() + "/a/b");
    std::ofstream(place() + "/a/b/file") << "data";
  }
  bool has_content() const { return fs::exists(place() + "/a/b/file"); }
  // Images are there afterwards, and nothing is mounted.
  void stop_machine() {
    if (order.form != VolumeForm::kImage) return;
    const FileHandle mounts(calls.open_at(-1, (fs::canonical(temp.path()) / "pool/mounts").c_str(), 0, 0));
    ASSERT_TRUE(loop::unmount(mounts, order.id).ok());
    ASSERT_FALSE(has_content());
  }

  TempDirectory temp;
  FaultyFileCalls calls;
  std::unique_ptr<VolumePools> pools;
  VolumeOrder order{.pool = "p", .id = "pvc-1", .form = GetParam().form, .bytes = kImageBytes, .mode = 0770};
};

TEST_P(VolumeFault, WhatIsAskedForAgainIsThereOnceAndKeepsItsContent) {
  open();
  bool reached = true;
  int call = 0;
  while (reached && ++call < kMostCalls) {
    SCOPED_TRACE(call);
    calls.fail_at(call, GetParam().error);
    const auto made = pools->make(order);
    reached = calls.has_failed();
    EXPECT_TRUE(made.ok() || reached) << made.error().message;
    calls.fail_at(0, 0);
    ASSERT_NO_FATAL_FAILURE(expect_one_volume());

    write_content();
    calls.fail_at(call, GetParam().error);
    static_cast<void>(pools->make(order));  // asked again, as after a crash
    calls.fail_at(0, 0);
    stop_machine();  // what is mounted would hide that its image was replaced
    ASSERT_NO_FATAL_FAILURE(expect_one_volume());
    EXPECT_TRUE(has_content());

    calls.fail_at(call, GetParam().error);
    const auto removed = pools->remove("p", order.id);
    reached = reached || calls.has_failed();
    EXPECT_TRUE(removed.ok() || calls.has_failed()) << removed.error().message;
    calls.fail_at(0, 0);
    ASSERT_NO_FATAL_FAILURE(expect_nothing());
  }
  EXPECT_GT(call, 8) << "there were calls to fail";
  EXPECT_LT(call, kMostCalls);
}

TEST_P(VolumeFault, WhatIsGivenUpLeavesNothing) {
  open();
  bool reached = true;
  for (int call = 1; reached; ++call) {
    SCOPED_TRACE(call);
    ASSERT_LT(call, kMostCalls);
    calls.fail_at(call, GetParam().error);
    static_cast<void>(pools->make(order));
    reached = calls.has_failed();
    calls.fail_at(0, 0);
    ASSERT_NO_FATAL_FAILURE(expect_nothing());
  }
}

TEST_P(VolumeFault, APoolThatCouldNotBeOpenedLosesNothing) {
  open();
  ASSERT_NO_FATAL_FAILURE(expect_one_volume());
  write_content();
  bool reached = true;
  for (int call = 1; reached; ++call) {
    SCOPED_TRACE(call);
    ASSERT_LT(call, kMostCalls);
    ASSERT_NO_FATAL_FAILURE(stop_machine());
    calls.fail_at(call, GetParam().error);
    static_cast<void>(VolumePools::open({{"p", temp.path() + "/pool", "z"}}, calls));
    reached = calls.has_failed();
    calls.fail_at(0, 0);
    open();
    ASSERT_NO_FATAL_FAILURE(expect_one_volume());
    EXPECT_TRUE(has_content());
  }
}

INSTANTIATE_TEST_SUITE_P(All, VolumeFault,
                         ::testing::Values(FaultRow{VolumeForm::kDirectory, EIO},
                                           FaultRow{VolumeForm::kDirectory, ENOSPC},
                                           FaultRow{VolumeForm::kImage, EIO}));

class ImageRoom : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto lacks = loop::missing(); !lacks.empty()) GTEST_SKIP() << "no images on this machine: " << lacks;
    auto opened = VolumePools::open({{"p", temp.path() + "/pool", "z"}}, calls);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    pools = std::move(opened).value();
  }
  uint64_t bytes_on_disk() const {
    struct stat status {};
    EXPECT_EQ(::stat((temp.path() + "/pool/images/pvc-1.img").c_str(), &status), 0);
    EXPECT_EQ(static_cast<uint64_t>(status.st_size), order.bytes);
    return static_cast<uint64_t>(status.st_blocks) * 512;
  }

  TempDirectory temp;
  FaultyFileCalls calls;
  std::unique_ptr<VolumePools> pools;
  VolumeOrder order{.pool = "p", .id = "pvc-1", .form = VolumeForm::kImage, .bytes = 2 * kImageBytes, .mode = 0770};
};

TEST_F(ImageRoom, IsThereFromTheBeginning) {
  ASSERT_TRUE(pools->make(order).ok());
  EXPECT_GE(bytes_on_disk(), order.bytes) << "nobody else can be promised it";
  EXPECT_TRUE(pools->remove("p", order.id).ok());
}

TEST_F(ImageRoom, IsNotPromisedTwice) {
  calls.has_no_room = true;
  const auto refused = pools->make(order);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kServiceUnavailable);
  EXPECT_NE(refused.error().message.find("the disk of pool p has"), std::string::npos) << refused.error().message;
  EXPECT_FALSE(fs::exists(temp.path() + "/pool/images/pvc-1.img.new"));
  calls.has_no_room = false;
  ASSERT_TRUE(pools->make(order).ok());
  calls.has_no_room = true;
  EXPECT_TRUE(pools->make(order).ok()) << "it has its room";
  EXPECT_TRUE(pools->remove("p", order.id).ok());
}

TEST_F(ImageRoom, IsNotReservedWhereTheDiskCannot) {
  calls.cannot_reserve = true;
  ASSERT_TRUE(pools->make(order).ok());
  EXPECT_LT(bytes_on_disk(), order.bytes);
  EXPECT_TRUE(pools->remove("p", order.id).ok());
}

}  // namespace
}  // namespace chandler::brokers
