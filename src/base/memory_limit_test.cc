#include "base/memory_limit.h"

#include <filesystem>
#include <fstream>
#include <vector>

#include <gtest/gtest.h>

#include "base/check.h"

namespace chandler {
namespace {

struct File {
  std::string path;
  std::string text;
};

struct Case {
  std::string name;
  std::string reason;
  std::vector<File> files;
  uint64_t bytes;  // 0: the machine's own
};

class MemoryLimitTest : public ::testing::TestWithParam<Case> {
 protected:
  MemoryLimitTest() { CH_CHECK(::mkdtemp(root_.data()) != nullptr); }
  ~MemoryLimitTest() override { std::filesystem::remove_all(root_); }

  void write(const File& file) const {
    const std::filesystem::path path = root_ + file.path;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << file.text;
  }

  std::string root_ = std::filesystem::temp_directory_path() / "chandler-memory-XXXXXX";
};

constexpr const char* kOwn = "/proc/self/cgroup";

TEST_P(MemoryLimitTest, IsTheSmallestThatApplies) {
  SCOPED_TRACE(GetParam().reason);
  const auto machine = memory_limit(root_);
  for (const auto& file : GetParam().files) write(file);
  const auto limit = memory_limit(root_);
  if (GetParam().bytes == 0) {
    EXPECT_EQ(limit.bytes, machine.bytes);
    EXPECT_EQ(limit.source, machine.source);
  } else {
    EXPECT_EQ(limit.bytes, GetParam().bytes);
    EXPECT_NE(limit.source.find("cgroup"), std::string::npos) << limit.source;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Groups, MemoryLimitTest,
    ::testing::Values(
        Case{"NoFiles", "a machine without cgroups", {}, 0},
        Case{"Unlimited", "max is no limit", {{kOwn, "0::/a\n"}, {"/sys/fs/cgroup/a/memory.max", "max\n"}}, 0},
        Case{"Own",
             "the group of the unit",
             {{kOwn, "0::/a/b\n"}, {"/sys/fs/cgroup/a/b/memory.max", "1048576\n"}},
             1048576},
        Case{"Outer",
             "a slice around the unit binds it too",
             {{kOwn, "0::/a/b\n"},
              {"/sys/fs/cgroup/a/memory.max", "4096\n"},
              {"/sys/fs/cgroup/a/b/memory.max", "1048576\n"}},
             4096},
        Case{"Container",
             "in a container the path may be the host's, and the top is the own group",
             {{kOwn, "0::/kubepods/pod1\n"}, {"/sys/fs/cgroup/memory.max", "8192\n"}},
             8192},
        Case{"FirstVersion",
             "controllers in trees of their own",
             {{kOwn, "5:cpu,cpuacct:/x\n4:memory:/a\n0::/\n"},
              {"/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "16384\n"}},
             16384},
        Case{"MoreThanTheMachine",
             "a limit that the machine cannot reach is none; the first version writes one for unlimited",
             {{kOwn, "4:memory:/\n"}, {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"}},
             0},
        Case{"Damaged",
             "what is not understood is no limit",
             {{kOwn, "nonsense\n0:/a\n0::/a\n"}, {"/sys/fs/cgroup/a/memory.max", "12kB\n"}},
             0}),
    [](const auto& row) { return row.param.name; });

TEST(MemoryLimit, OfThisProcessIsKnown) { EXPECT_GT(memory_limit().bytes, 1u << 20); }

}  // namespace
}  // namespace chandler
