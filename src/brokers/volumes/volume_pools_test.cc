#include "brokers/volumes/volume_pools.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "brokers/temp_directory_fixture.h"
#include "brokers/volumes/loop_mount.h"

namespace chandler::brokers {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr uint64_t kMiB = 1024 * 1024;

struct PlaceRow {
  std::string_view text;
  std::string name, directory, zone;  // empty name: refused
};

TEST(PoolPlace, IsReadFromAFlag) {
  const PlaceRow rows[] = {
      {"ssd=/srv/ssd", "ssd", "/srv/ssd", "ssd"},
      {"ssd=/srv/ssd,zone=east-1a", "ssd", "/srv/ssd", "east-1a"},
      {"a=/with,comma,zone=z", "a", "/with,comma", "z"},
      {"ssd", "", "", ""},
      {"ssd=", "", "", ""},
      {"=/srv", "", "", ""},
      {"SSD=/srv", "", "", ""},
      {"../x=/srv", "", "", ""},
      {"ssd=/srv,zone=a/b", "", "", ""},
  };
  for (const auto& row : rows) {
    const auto place = parse_pool(row.text);
    EXPECT_EQ(place.ok(), !row.name.empty()) << row.text;
    if (place.ok()) {
      EXPECT_EQ(*place, (PoolPlace{row.name, row.directory, row.zone})) << row.text;
    }
  }
  EXPECT_FALSE(parse_pools({"a=/x", "a=/y"}).ok()) << "a name means one pool";
  EXPECT_FALSE(parse_pools({"a=/x", "b=/x"}).ok()) << "two pools would remove each other's volumes";
}

class VolumePoolsTest : public ::testing::Test {
 protected:
  VolumePoolsTest() { open(); }
  void open() {
    auto opened = VolumePools::open({{"p", temp.path() + "/pool", "z"}});
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    pools = std::move(opened).value();
  }
  std::string root() const { return fs::canonical(temp.path()).string() + "/pool"; }

  TempDirectory temp;
  std::unique_ptr<VolumePools> pools;
  VolumeOrder order{.pool = "p", .id = "pvc-1", .form = VolumeForm::kDirectory, .bytes = kMiB, .mode = 0770};
};

TEST_F(VolumePoolsTest, ADirectoryIsMadeOnceAndRemovedWithItsContent) {
  const auto path = pools->make(order);
  ASSERT_TRUE(path.ok()) << path.error().message;
  EXPECT_EQ(*path, root() + "/volumes/pvc-1");
  struct stat status {};
  ASSERT_EQ(::stat(path->c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0770u);
  std::ofstream(*path + "/file") << "data";
  fs::create_directories(*path + "/a/b/c");
  EXPECT_EQ(pools->make(order).value(), *path) << "asked again";
  EXPECT_TRUE(fs::exists(*path + "/file")) << "and nothing was lost";
  EXPECT_TRUE(pools->remove("p", "pvc-1").ok());
  EXPECT_FALSE(fs::exists(*path));
  EXPECT_TRUE(pools->remove("p", "pvc-1").ok()) << "gone already";
}

TEST_F(VolumePoolsTest, NothingOutsideOfThePoolIsTouched) {
  const auto outside = temp.path() + "/outside";
  fs::create_directories(outside + "/kept");
  // A volume with links in it, and a link in the place of a volume.
  const auto path = pools->make(order).value();
  fs::create_directory_symlink(outside, path + "/link");
  fs::create_directory_symlink(outside, root() + "/volumes/pvc-2");
  auto other = order;
  other.id = "pvc-2";
  EXPECT_FALSE(pools->make(other).ok()) << "a link is not a volume";
  EXPECT_TRUE(pools->remove("p", "pvc-1").ok());
  EXPECT_TRUE(pools->remove("p", "pvc-2").ok());
  EXPECT_FALSE(fs::exists(fs::symlink_status(root() + "/volumes/pvc-2"))) << "the link itself goes";
  EXPECT_TRUE(fs::exists(outside + "/kept"));
  for (const auto* id : {"..", ".", "", "a/b", "../../outside", "-x"}) {
    other.id = id;
    EXPECT_FALSE(pools->make(other).ok()) << id;
    EXPECT_FALSE(pools->remove("p", id).ok()) << id;
  }
  // The folder of the volumes itself replaced by a link: we still hold the one that we opened.
  fs::rename(root() + "/volumes", root() + "/moved");
  fs::create_directory_symlink(outside, root() + "/volumes");
  other.id = "kept";
  EXPECT_TRUE(pools->remove("p", "kept").ok());
  EXPECT_TRUE(fs::exists(outside + "/kept"));
}

TEST_F(VolumePoolsTest, WhatCannotBeIsRefused) {
  order.pool = "q";
  EXPECT_EQ(pools->make(order).error().reason, Reason::kNotFound);
  order.pool = "p";
  order.bytes = uint64_t{1} << 62;
  EXPECT_EQ(pools->make(order).error().reason, Reason::kBadRequest) << "more than the disk";
}

TEST_F(VolumePoolsTest, AHalfMadeImageIsNoVolume) {
  const auto half = root() + "/images/pvc-1.img.new";
  std::ofstream(half) << "half";
  EXPECT_TRUE(pools->remove("p", "pvc-1").ok());
  EXPECT_FALSE(fs::exists(half));
}

TEST_F(VolumePoolsTest, AnImageCannotOutgrowItsSize) {
  if (const auto lacks = loop::missing(); !lacks.empty()) GTEST_SKIP() << "no images on this machine: " << lacks;
  order.form = VolumeForm::kImage;
  order.bytes = 16 * kMiB;
  std::ofstream(root() + "/images/pvc-1.img.new") << "left by a crash";
  const auto path = pools->make(order);
  ASSERT_TRUE(path.ok()) << path.error().message;
  EXPECT_EQ(pools->make(order).value(), *path) << "asked again";
  const int file = ::open((*path + "/big").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(file, 0);
  const std::string block(kMiB, 'x');
  size_t written = 0;
  while (written < 64 && ::write(file, block.data(), block.size()) == static_cast<ssize_t>(block.size())) ++written;
  ::close(file);
  EXPECT_GT(written, 4u);
  EXPECT_LT(written, 16u) << "the volume has 16 MiB";

  open();  // a restart of the server alone leaves it mounted once
  EXPECT_TRUE(fs::exists(*path + "/big"));
  {  // a restart of the machine leaves only the image
    const FileHandle mounts(::open((root() + "/mounts").c_str(), O_RDONLY | O_DIRECTORY));
    ASSERT_TRUE(loop::unmount(mounts, "pvc-1").ok());
    EXPECT_FALSE(fs::exists(*path + "/big"));
  }
  open();
  EXPECT_TRUE(fs::exists(*path + "/big")) << "mounted again";
  EXPECT_TRUE(pools->remove("p", "pvc-1").ok());
  EXPECT_FALSE(fs::exists(*path));
  EXPECT_FALSE(fs::exists(root() + "/images/pvc-1.img"));
}

TEST_F(VolumePoolsTest, AnImageInUseIsNotTornAway) {
  if (const auto lacks = loop::missing(); !lacks.empty()) GTEST_SKIP() << "no images on this machine: " << lacks;
  order.form = VolumeForm::kImage;
  const auto path = pools->make(order).value();
  {
    const FileHandle in_use(::open((path + "/file").c_str(), O_WRONLY | O_CREAT, 0600));
    const auto removed = pools->remove("p", "pvc-1");
    ASSERT_FALSE(removed.ok());
    EXPECT_EQ(removed.error().reason, Reason::kServiceUnavailable);
    EXPECT_TRUE(fs::exists(path + "/file"));
  }
  EXPECT_TRUE(pools->remove("p", "pvc-1").ok());
}

}  // namespace
}  // namespace chandler::brokers
