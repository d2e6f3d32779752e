// The process dies between any two effects, with the one under way having happened or not. Whatever the moment: one
// volume for a claim that lives, none for a claim that is gone, and nothing on the disk that no object names.
#include "reconcilers/volume/volume_world_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

class VolumeCrash : public VolumeWorld {
 protected:
  VolumeCrash() {
    objects.hold_writes = true;
    disk.hold = true;
  }
  // The world starts anew with a claim.
  void begin() {
    engine.reset();
    for (const auto& kind : {kClaims, kVolumes, client::KindName{"", "events"}}) {
      for (const auto& object : objects.list(kind, {})) {
        objects.remove(kind, std::string(object.ns()), std::string(object.name()));
      }
    }
    objects.held.clear();
    disk.held.clear();
    disk.volumes.clear();
    disk.log.clear();
    put_class("");
    put_claim();
    start();
  }
  // So many effects, if there are so many.
  bool go(int effects) {
    for (int i = 0; i < effects; ++i) {
      if (!one_effect()) return false;
    }
    return true;
  }
  void expect_one_volume(const std::string& when) {
    EXPECT_EQ(claim_phase(), "Bound") << when;
    EXPECT_EQ(volume_count(), 1u) << when;
    EXPECT_EQ(volume_phase("pvc-uid-data"), "Bound") << when;
    EXPECT_EQ(disk.volumes.size(), 1u) << when;
    EXPECT_FALSE(has_finalizer(objects.get(kClaims, "dev", "data"), kOrderFinalizer)) << when;
  }
  void expect_nothing(const std::string& when) {
    EXPECT_EQ(claim_phase(), "gone") << when;
    EXPECT_EQ(volume_count(), 0u) << when;
    EXPECT_EQ(disk.volumes.size(), 0u) << when;
  }
};

TEST_F(VolumeCrash, AClaimGetsExactlyOneVolume) {
  int moments = 0;
  for (const bool happened : {false, true}) {
    for (int effects = 0;; ++effects) {
      begin();
      if (!go(effects)) break;
      die(happened);
      run_to_end();
      expect_one_volume(fmt::format("after {} effects, {}", effects, happened ? "done" : "not done"));
      ++moments;
    }
  }
  EXPECT_GE(moments, 14) << "order, disk, object and the four writes of the handshake, each twice";
}

TEST_F(VolumeCrash, AClaimThatGoesLeavesNothing) {
  for (const bool happened : {false, true}) {
    for (int effects = 0;; ++effects) {
      begin();
      run_to_end();
      delete_claim();
      if (!go(effects)) break;
      die(happened);
      run_to_end();
      expect_nothing(fmt::format("after {} effects, {}", effects, happened ? "done" : "not done"));
    }
  }
}

TEST_F(VolumeCrash, AClaimThatIsDeletedWhileItsVolumeIsMadeLeavesNothing) {
  for (const bool happened : {false, true}) {
    for (int effects = 0;; ++effects) {
      begin();
      if (!go(effects)) break;
      settle();
      delete_claim();
      die(happened);
      run_to_end();
      expect_nothing(fmt::format("after {} effects, {}", effects, happened ? "done" : "not done"));
    }
  }
}

TEST_F(VolumeCrash, LookingAgainChangesNothing) {
  begin();
  run_to_end();
  objects.log.clear();
  disk.log.clear();
  die(false);
  run_to_end();
  EXPECT_EQ(objects.log, std::vector<std::string>());
  EXPECT_EQ(disk.log, std::vector<std::string>());
}

}  // namespace
}  // namespace chandler::reconcilers::testing
