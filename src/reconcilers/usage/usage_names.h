// Kinds, names and reasons of binding usages as the reconcilers, and whoever reads what they write, know them.
#pragma once

#include <string_view>

#include "client/object.h"

namespace chandler::reconcilers {

inline constexpr std::string_view kUsageGroup = "servicecatalog.kyma-project.io";
inline constexpr std::string_view kUsageVersion = "servicecatalog.kyma-project.io/v1alpha1";
inline constexpr std::string_view kPresetVersion = "settings.svcat.k8s.io/v1alpha1";

inline constexpr client::KindName kUsageKinds{kUsageGroup, "usagekinds"};
inline constexpr client::KindName kUsages{kUsageGroup, "servicebindingusages"};
inline constexpr client::KindName kPodPresets{"settings.svcat.k8s.io", "podpresets"};
inline constexpr client::KindName kCrds{"apiextensions.k8s.io", "customresourcedefinitions"};
inline constexpr client::KindName kPods{"", "pods"};
inline constexpr client::KindName kSnapshotMaps{"", "configmaps"};

inline constexpr std::string_view kUsageKindFinalizer = "servicecatalog.kyma-project.io/usage-kind-protection";
inline constexpr std::string_view kUsageFinalizer = "servicecatalog.kyma-project.io/sbu-protection";
// On what a usage makes: the name of the usage.
inline constexpr std::string_view kOwnerNameAnnotation =
    "servicebindingusages.servicecatalog.kyma-project.io/owner-name";
// On pods, by admission: with the name of the preset behind it, what was applied; as JSON, what was not and why.
inline constexpr std::string_view kPresetAnnotation = "podpreset.admission.kubernetes.io/podpreset-";
inline constexpr std::string_view kConflictAnnotation = "podpreset.admission.kubernetes.io/conflicts";

namespace usage {

// Types of conditions.
inline constexpr std::string_view kBindingReady = "BindingReady";
inline constexpr std::string_view kUsageKindResolved = "UsageKindResolved";
inline constexpr std::string_view kAccessGranted = "AccessGranted";
inline constexpr std::string_view kLabelsApplied = "LabelsApplied";
inline constexpr std::string_view kRolledOut = "RolledOut";
inline constexpr std::string_view kPodsInjected = "PodsInjected";
inline constexpr std::string_view kSnapshotExported = "SnapshotExported";
inline constexpr std::string_view kEstablished = "Established";
inline constexpr std::string_view kAccessible = "Accessible";
inline constexpr std::string_view kPathValid = "PathValid";
inline constexpr std::string_view kInUse = "InUse";
inline constexpr std::string_view kInjected = "Injected";

}  // namespace usage
}  // namespace chandler::reconcilers
