// The kinds around claims as the reconcilers name them, and the marks they leave on objects.
#pragma once

#include <string_view>
#include <vector>

#include "client/object.h"

namespace chandler::reconcilers::claims {

inline constexpr std::string_view kCoreGroup = "core.crossplane.io";
inline constexpr client::KindName kResourceClasses{kCoreGroup, "resourceclasses"};
inline constexpr client::KindName kProviders{kCoreGroup, "providers"};
inline constexpr client::KindName kDefinitions{"apiextensions.k8s.io", "customresourcedefinitions"};

// Those that are part of the program; others are CustomResourceDefinitions with a label.
inline constexpr client::KindName kBuiltInClaims[] = {{"storage.crossplane.io", "postgresqlinstances"},
                                                      {"storage.crossplane.io", "mysqlinstances"},
                                                      {"storage.crossplane.io", "nosqlinstances"},
                                                      {"storage.crossplane.io", "dynamodbinstances"},
                                                      {"storage.crossplane.io", "buckets"},
                                                      {"cache.crossplane.io", "redisclusters"}};

inline constexpr std::string_view kClaimFinalizer = "finalizer.resourceclaim.crossplane.io";
inline constexpr std::string_view kInUseFinalizer = "core.crossplane.io/in-use";

// On a claim: the uid of the class that serves it. Labels of every kind are indexed, so the users of a class are found
// whatever their kind.
inline constexpr std::string_view kClassUidLabel = "core.crossplane.io/class-uid";
// On what was made for a claim: the uid of the claim. Whoever does not carry it is not ours.
inline constexpr std::string_view kClaimUidLabel = "core.crossplane.io/claim-uid";
// On a managed resource, as kind.group/namespace/name: the claim it serves, or may serve when an operator wrote it.
inline constexpr std::string_view kClaimAnnotation = "core.crossplane.io/claim";
inline constexpr std::string_view kClassAnnotation = "core.crossplane.io/resource-class";
// On a managed resource that outlived its claim.
inline constexpr std::string_view kReleasedAnnotation = "core.crossplane.io/released-from";

// In front of the kind, on a class: it is a default for a kind of that name in a group that has no such claims.
inline constexpr std::string_view kMisdirectedLabel = "misdirected-default.core.crossplane.io/";

// Between the connection secret of a managed resource and that of its claim; each names the other's uid.
inline constexpr std::string_view kFromNamespace = "from.propagate.crossplane.io/namespace";
inline constexpr std::string_view kFromName = "from.propagate.crossplane.io/name";
inline constexpr std::string_view kFromUid = "from.propagate.crossplane.io/uid";
inline constexpr std::string_view kToPrefix = "to.propagate.crossplane.io/";

}  // namespace chandler::reconcilers::claims
