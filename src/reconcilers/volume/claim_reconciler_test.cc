#include <set>

#include <gmock/gmock.h>

#include "reconcilers/volume/volume_world_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

using ::testing::HasSubstr;

class Claim : public VolumeWorld {};

TEST_F(Claim, GetsADirectoryInAPool) {
  put_class("");
  put_claim();
  settle();
  EXPECT_EQ(claim_phase(), "Bound");
  EXPECT_EQ(bound_to(), "pvc-uid-data");
  const auto volume = objects.get(kVolumes, "", "pvc-uid-data");
  EXPECT_EQ(annotation_of(volume, kProvisionedBy), kLocalProvisioner);
  EXPECT_EQ(text_at(member(spec_of(volume), "claimRef"), "uid"), "uid-data");
  EXPECT_THAT(text_at(member(spec_of(volume), "local"), "path"), HasSubstr("pvc-uid-data"));
  const auto labels = json::write(member(volume.value(), {"metadata", "labels"}));
  EXPECT_THAT(labels, HasSubstr(R"("storage.chandler.io/form":"directory")"));
  EXPECT_THAT(labels, HasSubstr(R"("topology.kubernetes.io/zone":)"));
  EXPECT_EQ(waits(), "");
  EXPECT_NE(event("ProvisioningSucceeded"), "");
}

TEST_F(Claim, AnEmptySelectorIsNoSelector) {
  put_class("");
  put_claim("storageClassName: fast, selector: {}");
  settle();
  EXPECT_EQ(claim_phase(), "Bound");
}

TEST_F(Claim, GetsWhatItSelects) {
  put_class("selectorOptions: [{key: topology.kubernetes.io/zone}, {key: storage.chandler.io/form}]");
  put_claim(
      "storageClassName: fast, selector: {matchLabels: {storage.chandler.io/form: image}, matchExpressions: [{key: "
      "topology.kubernetes.io/zone, operator: NotIn, values: [east]}]}");
  settle();
  ASSERT_EQ(disk.volumes.size(), 1u);
  EXPECT_EQ(disk.volumes.begin()->first, "two/pvc-uid-data");
  EXPECT_EQ(text_at(disk.volumes.begin()->second, "form"), "image");
  const auto labels = json::write(member(objects.get(kVolumes, "", "pvc-uid-data").value(), {"metadata", "labels"}));
  EXPECT_EQ(labels, R"({"storage.chandler.io/form":"image","topology.kubernetes.io/zone":"west"})");
}

struct RefusalRow {
  std::string name, storage_class, claim, said;
};

TEST_F(Claim, WhatTheProvisionerDoesNotUnderstandItRefuses) {
  const RefusalRow rows[] = {
      {"zone", "selectorOptions: [{key: topology.kubernetes.io/zone}]",
       "selector: {matchLabels: {topology.kubernetes.io/zone: mars}}", "allowed values: east, west"},
      {"key-of-class", "selectorOptions: [{key: encryption, allowedValues: [a]}]",
       "selector: {matchLabels: {encryption: a}}", "does not know encryption"},
      {"key-of-claim", "selectorOptions: [{key: storage.chandler.io/form}]", "selector: {matchLabels: {color: red}}",
       "UnknownSelectorKey"},
      {"no-options", "volumeBindingMode: Immediate", "selector: {matchLabels: {color: red}}", "SelectorNotAllowed"},
      {"parameter", "parameters: {iops: '5'}", "", "the parameter \"iops\""},
      {"pool", "parameters: {pool: three}", "", "there are one, two"},
      {"typos",
       "parameters: {zones: east}, selectorOptions: [{key: topology.kubernetes.io/zone, allowedValues: [west]}]",
       "selector: {matchLabels: {topology.kubernetes.io/zone: west}}", "ClassConflict"},
      {"mount-options", "mountOptions: [noatime]", "", "mountOptions"},
      {"source", "volumeBindingMode: Immediate", "dataSource: {kind: PersistentVolumeClaim, name: x}",
       "spec.dataSource"},
  };
  for (const auto& row : rows) {
    put_class(row.storage_class, row.name);
    put_claim("storageClassName: " + row.name + ", " + row.claim, row.name);
  }
  settle();
  for (const auto& row : rows) EXPECT_THAT(waits(row.name), HasSubstr(row.said)) << row.name;
  EXPECT_EQ(disk.volumes.size(), 0u);
  EXPECT_THAT(event("ProvisioningFailed"), ::testing::Not(""));
}

TEST_F(Claim, OtherAccessModesAreRefused) {
  put_class("");
  put_claim();
  edit(kClaims, "dev", "data",
       [](json::Object& root) { object_in(root, "spec")["accessModes"] = json::Array{"ReadWriteMany"}; });
  settle();
  EXPECT_THAT(waits(), HasSubstr("not for ReadWriteMany"));
}

TEST_F(Claim, AnEditOfTheClassWakesWhoWaits) {
  put_class("selectorOptions: [{key: topology.kubernetes.io/zone, allowedValues: [east]}]");
  put_claim("storageClassName: fast, selector: {matchLabels: {topology.kubernetes.io/zone: west}}");
  settle();
  EXPECT_THAT(waits(), HasSubstr("allowed values: east"));
  put_class("selectorOptions: [{key: topology.kubernetes.io/zone, allowedValues: [east, west]}]");
  settle();
  EXPECT_EQ(claim_phase(), "Bound");
  EXPECT_EQ(disk.volumes.begin()->first, "two/pvc-uid-data");
}

TEST_F(Claim, MembersOfASetSpreadOverZones) {
  settings.pools = {{"one", "a"}, {"two", "b"}, {"three", "c"}};
  put_class("");
  for (const auto* name : {"www-web-0", "www-web-1", "www-web-2"}) put_claim("storageClassName: fast", name);
  settle();
  std::set<std::string> pools;
  for (const auto& [place, order] : disk.volumes) pools.insert(place.substr(0, place.find('/')));
  EXPECT_EQ(pools.size(), 3u);
}

TEST_F(Claim, TakesTheSmallestExistingVolumeThatFits) {
  put_volume("large", "capacity: {storage: 5Gi}, storageClassName: fast");
  put_volume("good", "capacity: {storage: 2Gi}, storageClassName: fast");
  put_volume("small", "capacity: {storage: 100Mi}, storageClassName: fast");
  put_volume("other", "capacity: {storage: 1Gi}, storageClassName: slow");
  put_class("");
  put_claim();
  settle();
  EXPECT_EQ(bound_to(), "good");
  EXPECT_EQ(claim_phase(), "Bound");
  EXPECT_EQ(volume_phase("good"), "Bound");
  EXPECT_EQ(volume_phase("large"), "Available");
  EXPECT_EQ(disk.log, std::vector<std::string>());
  EXPECT_EQ(annotation_of(objects.get(kClaims, "dev", "data"), kBindCompleted), "yes");
  EXPECT_EQ(json::write(member(status_of(objects.get(kClaims, "dev", "data")), "capacity")), R"({"storage":"2Gi"})");
}

TEST_F(Claim, LabelsAndReservationsDecideAmongExistingVolumes) {
  put_volume("red", "capacity: {storage: 1Gi}, storageClassName: ''", "color: red");
  put_volume("blue", "capacity: {storage: 2Gi}, storageClassName: ''", "color: blue");
  put_volume("kept", "capacity: {storage: 1Gi}, claimRef: {namespace: dev, name: mine}");
  put_claim("storageClassName: '', selector: {matchLabels: {color: blue}}", "picky");
  put_claim("storageClassName: ''", "mine");
  put_claim("storageClassName: '', volumeName: red", "named");
  settle();
  EXPECT_EQ(bound_to("picky"), "blue");
  EXPECT_EQ(bound_to("mine"), "kept");
  EXPECT_EQ(bound_to("named"), "red");
  EXPECT_EQ(claim_phase("named"), "Bound");
}

TEST_F(Claim, WaitsWithoutClassUntilThereIsADefault) {
  put_claim("");
  settle();
  EXPECT_THAT(waits(), HasSubstr("no default StorageClass"));
  put(kStorageClasses,
      "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: std, annotations: "
      "{storageclass.kubernetes.io/is-default-class: 'true'}}, provisioner: chandler.io/local}");
  settle();
  EXPECT_EQ(claim_phase(), "Bound");
  EXPECT_EQ(text_at(spec_of(objects.get(kClaims, "dev", "data")), "storageClassName"), "std");
}

TEST_F(Claim, ADefaultThatDoesNotFitTheSelectorIsNotAssigned) {
  put_claim("selector: {matchLabels: {color: red}}");
  put(kStorageClasses,
      "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: std, annotations: "
      "{storageclass.kubernetes.io/is-default-class: 'true'}}, provisioner: chandler.io/local, selectorOptions: [{key: "
      "topology.kubernetes.io/zone}]}");
  settle();
  EXPECT_THAT(waits(), HasSubstr("is not assigned"));
  EXPECT_TRUE(member(spec_of(objects.get(kClaims, "dev", "data")), "storageClassName").is_null());
}

TEST_F(Claim, WaitsForItsFirstUserAndGoesWhereThatIs) {
  put_class("volumeBindingMode: WaitForFirstConsumer");
  put_claim();
  settle();
  EXPECT_THAT(waits(), HasSubstr("WaitForFirstConsumer"));
  EXPECT_EQ(disk.log, std::vector<std::string>());
  const auto choose = [&](const char* node) {
    edit(kClaims, "dev", "data",
         [&](json::Object& root) { object_in(object_in(root, "metadata"), "annotations")[kSelectedNode] = node; });
    settle();
  };
  choose("elsewhere");
  EXPECT_THAT(event("ProvisioningFailed"), HasSubstr("another node has to be chosen"));
  EXPECT_EQ(annotation_of(objects.get(kClaims, "dev", "data"), kSelectedNode), "");
  choose("here");
  EXPECT_EQ(claim_phase(), "Bound");
}

TEST_F(Claim, ExistingVolumesServeAClaimWhoseUserHasANode) {
  put_volume("disk", "capacity: {storage: 1Gi}, storageClassName: fast");
  put(kStorageClasses,
      "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: "
      "kubernetes.io/no-provisioner, volumeBindingMode: WaitForFirstConsumer}");
  put_claim();
  put_claim("storageClassName: fast", "used", "volume.kubernetes.io/selected-node: here");
  settle();
  EXPECT_THAT(waits(), HasSubstr("WaitForFirstConsumer"));
  EXPECT_EQ(bound_to("used"), "disk");
}

TEST_F(Claim, TheZoneOfTheNodeDecides) {
  objects.put(kNodes,
              "{apiVersion: v1, kind: Node, metadata: {name: here, labels: {topology.kubernetes.io/zone: west}}}");
  put_class("volumeBindingMode: WaitForFirstConsumer");
  put_claim("storageClassName: fast", "data", "volume.kubernetes.io/selected-node: here");
  settle();
  ASSERT_EQ(disk.volumes.size(), 1u);
  EXPECT_EQ(disk.volumes.begin()->first, "two/pvc-uid-data");
}

TEST_F(Claim, AProvisionerOutsideIsAskedByTheUsualAnnotations) {
  put(kStorageClasses,
      "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: example.com/disks, "
      "selectorOptions: [{key: tier, allowedValues: [gold], defaultValue: gold}]}");
  put_claim();
  put_claim("storageClassName: fast, selector: {matchLabels: {tier: lead}}", "wrong");
  settle();
  const auto claim = objects.get(kClaims, "dev", "data");
  EXPECT_EQ(annotation_of(claim, kStorageProvisioner), "example.com/disks");
  EXPECT_EQ(annotation_of(claim, kBetaStorageProvisioner), "example.com/disks");
  EXPECT_EQ(annotation_of(claim, kResolvedAnnotation), R"({"tier":"gold"})");
  EXPECT_THAT(waits(), HasSubstr("ExternalProvisioning"));
  EXPECT_THAT(waits("wrong"), HasSubstr("will have to refuse this: Unsatisfiable"));
  EXPECT_EQ(annotation_of(objects.get(kClaims, "dev", "wrong"), kStorageProvisioner), "example.com/disks")
      << "the provisioner is the judge";
  // It makes the volume; we bind.
  put_volume("disk-1",
             "capacity: {storage: 1Gi}, storageClassName: fast, claimRef: {namespace: dev, name: data, uid: "
             "uid-data}");
  settle();
  EXPECT_EQ(claim_phase(), "Bound");
}

TEST_F(Claim, AFullDiskIsSaidAndTriedAgain) {
  disk.fail_with = 503;
  put_class("");
  put_claim();
  settle();
  EXPECT_THAT(waits(), HasSubstr("the disk is full"));
  disk.fail_with = 0;
  clock.advance(std::chrono::seconds(31));
  settle();
  EXPECT_EQ(claim_phase(), "Bound");
}

TEST_F(Claim, ALostVolumeIsReported) {
  put_volume("old", "capacity: {storage: 1Gi}, storageClassName: fast");
  put_class("");
  put_claim();
  settle();
  ASSERT_EQ(bound_to(), "old");
  objects.remove(kVolumes, "", "old");
  settle();
  EXPECT_EQ(claim_phase(), "Lost");
  EXPECT_NE(event("ClaimLost"), "");
}

TEST_F(Claim, WhereAClusterBindsOnlyVolumesAreMade) {
  settings.binds = false;
  put_class("");
  put_claim();
  put_claim("storageClassName: fast", "asked", "volume.kubernetes.io/storage-provisioner: chandler.io/local");
  settle();
  EXPECT_EQ(volume_count(), 1u);
  EXPECT_EQ(volume_phase("pvc-uid-asked"), "");
  EXPECT_EQ(claim_phase("asked"), "Pending");
  EXPECT_EQ(bound_to("asked"), "");
}

}  // namespace
}  // namespace chandler::reconcilers::testing
