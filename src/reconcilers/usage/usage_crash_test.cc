// The process dies after any write, and the next one goes on: with the same outcome, and without writing anything twice
// that others would notice.
#include "reconcilers/usage/usage_story_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

// A life: two usages come, one moves, the UsageKind is edited, all go.
class UsageCrash : public UsageStory {
 public:
  void TestBody() override {}
  // Everything up to the scene in peace; in it the process dies after so many writes.
  void replay(int scene, int limit, const std::vector<std::string>& worlds) {
    prepare();
    settle();
    for (int i = 0; i < kScenes; ++i) {
      play(i);
      if (i == scene) {
        api.writes_left = limit;
        settle();
        api.writes_left = -1;
        start();
      }
      settle();
      EXPECT_EQ(world(), worlds[static_cast<size_t>(i)]) << "after scene " << i;
    }
    for (const auto& [place, count] : api.writes) {
      // Two usages come, each is edited or moved twice, one of the class's changes reaches each: a write for each.
      if (place.starts_with("deployments/")) {
        EXPECT_LE(count, 8) << place;
      }
    }
  }

 protected:
  void prepare() {
    apply_usage_kind();
    apply_binding();
    apply_class("{tier: cache}");
    apply_deployment("web");
    apply_deployment("other", "{app: web, tier: cache}");
  }
  static constexpr int kScenes = 6;
  void play(int scene) {
    switch (scene) {
      case 0:
        apply_usage("one", "b", "web", "snapshotConfigMapName: copy");
        apply_usage("two", "b", "web");
        break;
      case 1:
        edit(kUsages, "two",
             [](json::Object& root) { object_in(object_in(root, "spec"), "usedBy")["name"] = "other"; });
        break;
      case 2:
        edit(
            kUsageKinds, "deployment",
            [](json::Object& root) { object_in(root, "spec")["labelsPath"] = "metadata.labels"; }, "");
        break;
      case 3:
        apply_class("{tier: cache, more: labels}");
        break;
      case 4:
        remove(kUsages, "one");
        remove(kUsageKinds, "deployment", "");
        break;
      default:
        remove(kUsages, "two");
        break;
    }
  }
  std::string world() const {
    std::string out;
    for (const auto* name : {"web", "other"}) out += content(kDeployments, name) + "\n";
    for (const auto& kind : {kUsages, kUsageKinds, kPodPresets}) {
      for (const auto& object : objects.list(kind, {})) {
        out += fmt::format("{} {} {} {}\n", kind.plural, object.name(), json::write(spec_of(object)),
                           conditions(object.name(), kind));
      }
    }
    return out;
  }
};

TEST_F(UsageCrash, AfterAnyWriteTheNextProcessEndsTheSameWay) {
  prepare();
  const auto beginning = content(kDeployments, "web") + content(kDeployments, "other");
  std::vector<std::string> worlds;
  std::vector<int> written;
  settle();
  for (int scene = 0; scene < kScenes; ++scene) {
    const auto before = api.total;
    play(scene);
    settle();
    worlds.push_back(world());
    written.push_back(api.total - before);
    ASSERT_GT(written.back(), 0) << "scene " << scene;
  }
  EXPECT_EQ(content(kDeployments, "web") + content(kDeployments, "other"), beginning);
  EXPECT_FALSE(exists(kUsageKinds, "deployment", ""));

  for (int scene = 0; scene < kScenes; ++scene) {
    for (int limit = 0; limit < written[static_cast<size_t>(scene)]; ++limit) {
      SCOPED_TRACE(fmt::format("killed in scene {} after {} writes", scene, limit));
      UsageCrash again;
      again.replay(scene, limit, worlds);
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace chandler::reconcilers::testing
