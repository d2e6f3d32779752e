// The kinds, annotations, finalizers and event reasons that volumes are about, and what the controllers are told about
// this machine. Plain data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/object.h"
#include "resolve/volume_selector.h"

namespace chandler::reconcilers {

inline constexpr client::KindName kClaims{"", "persistentvolumeclaims"};
inline constexpr client::KindName kVolumes{"", "persistentvolumes"};
inline constexpr client::KindName kStorageClasses{"storage.k8s.io", "storageclasses"};
inline constexpr client::KindName kNodes{"", "nodes"};

using resolve::kFormLabel;
using resolve::kLocalProvisioner;
inline constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

// As every provisioner and the tools around them know them.
inline constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
inline constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";
inline constexpr std::string_view kProvisionedBy = "pv.kubernetes.io/provisioned-by";
inline constexpr std::string_view kStorageProvisioner = "volume.kubernetes.io/storage-provisioner";
inline constexpr std::string_view kBetaStorageProvisioner = "volume.beta.kubernetes.io/storage-provisioner";
inline constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
inline constexpr std::string_view kVolumeProtection = "kubernetes.io/pv-protection";
inline constexpr std::string_view kHostnameLabel = "kubernetes.io/hostname";

// Ours. What the selector of a claim was resolved to, for people and for provisioners outside: JSON, key to value.
inline constexpr std::string_view kResolvedAnnotation = "storage.chandler.io/resolved";
// On a claim: what our provisioner has been asked to make; stored before anything is made.
using resolve::kOrderAnnotation;
// On a volume of ours: where it lies.
inline constexpr std::string_view kPoolAnnotation = "storage.chandler.io/pool";
// On a claim from the order until there is a volume object: something may lie on a disk that nothing else tells of.
using resolve::kOrderFinalizer;
// On a volume of ours: something lies on a disk.
inline constexpr std::string_view kLocalVolumeFinalizer = "storage.chandler.io/local-volume";

inline constexpr std::string_view kBoundCondition = "Bound";  // False with the reason, while a claim waits

struct LocalPool {
  std::string name;
  std::string zone;
};

struct VolumeSettings {
  std::vector<LocalPool> pools;  // none: volumes of chandler.io/local are somebody else's business
  bool has_images = false;       // file systems in files can be mounted here
  std::string node = "localhost";
  // Where another controller binds claims to volumes (a Kubernetes cluster), ours only makes and removes volumes.
  bool binds = true;
};

}  // namespace chandler::reconcilers
