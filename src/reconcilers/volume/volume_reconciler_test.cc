#include <gmock/gmock.h>

#include "reconcilers/volume/volume_world_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

using ::testing::HasSubstr;

class Volume : public VolumeWorld {};

TEST_F(Volume, GoesWithItsClaim) {
  put_class("");
  put_claim();
  settle();
  ASSERT_EQ(disk.volumes.size(), 1u);
  delete_claim();
  settle();
  EXPECT_EQ(disk.volumes.size(), 0u);
  EXPECT_EQ(volume_count(), 0u);
}

TEST_F(Volume, StaysWhenItIsToBeRetained) {
  put_class("");
  put_claim();
  settle();
  edit(kVolumes, "", "pvc-uid-data",
       [](json::Object& root) { object_in(root, "spec")["persistentVolumeReclaimPolicy"] = "Retain"; });
  delete_claim();
  settle();
  EXPECT_EQ(volume_phase("pvc-uid-data"), "Released");
  EXPECT_EQ(disk.volumes.size(), 1u);
  // An operator deletes the object: what lies on the disk was to be kept.
  edit(kVolumes, "", "pvc-uid-data",
       [](json::Object& root) { object_in(root, "metadata")["deletionTimestamp"] = "2026-01-01T00:00:00Z"; });
  settle();
  EXPECT_EQ(volume_count(), 0u);
  EXPECT_EQ(disk.volumes.size(), 1u);
}

TEST_F(Volume, IsProtectedWhileItsClaimLives) {
  put_class("");
  put_claim();
  settle();
  edit(kVolumes, "", "pvc-uid-data",
       [](json::Object& root) { object_in(root, "metadata")["deletionTimestamp"] = "2026-01-01T00:00:00Z"; });
  settle();
  EXPECT_EQ(volume_phase("pvc-uid-data"), "Bound");
  EXPECT_EQ(disk.volumes.size(), 1u);
  delete_claim();
  settle();
  EXPECT_EQ(volume_count(), 0u);
  EXPECT_EQ(disk.volumes.size(), 0u);
}

TEST_F(Volume, OfNobodyCannotBeDeletedForItsOwner) {
  put_volume("static", "capacity: {storage: 1Gi}, storageClassName: fast");
  put_class("");
  put_claim();
  settle();
  ASSERT_EQ(bound_to(), "static");
  edit(kVolumes, "", "static",
       [](json::Object& root) { object_in(root, "spec")["persistentVolumeReclaimPolicy"] = "Delete"; });
  delete_claim();
  settle();
  EXPECT_EQ(volume_phase("static"), "Failed");
  EXPECT_THAT(event("VolumeFailedDelete"), HasSubstr("Retain"));
}

TEST_F(Volume, InAPoolThatIsNotHereWaits) {
  put_class("");
  put_claim();
  settle();
  settings.pools = {{"three", "c"}};
  start();
  settle();
  delete_claim();
  settle();
  EXPECT_EQ(volume_count(), 1u);
  EXPECT_THAT(event("VolumeFailedDelete"), HasSubstr("--local-volume-pool"));
}

TEST_F(Volume, ReservedForAClaimThatIsGoneIsReleased) {
  put_volume("v", "capacity: {storage: 1Gi}, claimRef: {namespace: dev, name: data, uid: uid-older}");
  put_claim("storageClassName: ''");
  settle();
  EXPECT_EQ(volume_phase("v"), "Released");
  EXPECT_EQ(bound_to(), "");
}

TEST_F(Volume, IsFreeAgainWhenItsClaimWentElsewhere) {
  put_volume("a",
             "capacity: {storage: 1Gi}, storageClassName: '', claimRef: {namespace: dev, name: data, uid: uid-data}");
  put_volume("b",
             "capacity: {storage: 1Gi}, storageClassName: '', claimRef: {namespace: dev, name: data, uid: uid-data}");
  put_claim("storageClassName: '', volumeName: b");
  settle();
  EXPECT_EQ(volume_phase("b"), "Bound");
  EXPECT_EQ(volume_phase("a"), "Available");
  EXPECT_EQ(text_at(member(spec_of(objects.get(kVolumes, "", "a")), "claimRef"), "uid"), "");
}

}  // namespace
}  // namespace chandler::reconcilers::testing
