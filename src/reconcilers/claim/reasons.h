// Conditions of claims and classes and their reasons. Scripts look for these words.
#pragma once

#include <string_view>

namespace chandler::reconcilers::claims {

// Condition types of a claim, besides Ready.
inline constexpr std::string_view kClassResolved = "ClassResolved";
inline constexpr std::string_view kSecretPropagated = "ConnectionSecretPropagated";
inline constexpr std::string_view kOutdatedClass = "OutdatedClass";
// Condition types of a class or provider.
inline constexpr std::string_view kDefaultsServed = "DefaultsServed";
inline constexpr std::string_view kInUse = "InUse";

namespace reason {

// ClassResolved=True.
inline constexpr std::string_view kResourceGiven = "ResourceGiven";
inline constexpr std::string_view kClassGiven = "ClassGiven";
inline constexpr std::string_view kClassSelected = "ClassSelected";
inline constexpr std::string_view kNamespaceDefault = "NamespaceDefault";
inline constexpr std::string_view kOperatorDefault = "OperatorDefault";

// ClassResolved=False, and Ready=False with the same words.
inline constexpr std::string_view kNoDefaultClass = "NoDefaultClass";
inline constexpr std::string_view kSeveralDefaults = "SeveralDefaultClasses";
inline constexpr std::string_view kNoMatchingClass = "NoMatchingClass";
inline constexpr std::string_view kSeveralMatches = "SeveralMatchingClasses";
inline constexpr std::string_view kClassNotFound = "ClassNotFound";
inline constexpr std::string_view kClassBeingDeleted = "ClassBeingDeleted";
inline constexpr std::string_view kClassNotAllowed = "ClassNotAllowed";
inline constexpr std::string_view kVersionMismatch = "EngineVersionMismatch";
inline constexpr std::string_view kInvalidSelector = "InvalidSelector";

// Ready=False.
inline constexpr std::string_view kUnknownProvisioner = "UnknownProvisioner";
inline constexpr std::string_view kInvalidProvisioner = "InvalidProvisioner";
inline constexpr std::string_view kInvalidParameters = "InvalidParameters";
inline constexpr std::string_view kCreating = "CreatingResource";
inline constexpr std::string_view kCreateFailed = "CreateFailed";
inline constexpr std::string_view kResourceNotFound = "ResourceNotFound";
inline constexpr std::string_view kResourceNotOffered = "ResourceNotOffered";
inline constexpr std::string_view kResourceConflict = "ResourceConflict";
inline constexpr std::string_view kResourceLost = "ResourceLost";
inline constexpr std::string_view kWaitingForResource = "WaitingForResource";
inline constexpr std::string_view kWaitingForBinding = "WaitingForBinding";
inline constexpr std::string_view kWaitingForSecret = "WaitingForConnectionSecret";
inline constexpr std::string_view kDeleting = "Deleting";
inline constexpr std::string_view kIncompleteClaimKind = "IncompleteClaimKind";

// Ready=True.
inline constexpr std::string_view kAvailable = "Available";

// ConnectionSecretPropagated.
inline constexpr std::string_view kPropagated = "Propagated";
inline constexpr std::string_view kSecretConflict = "SecretBelongsToOthers";
inline constexpr std::string_view kSourceNotControlled = "SourceNotControlled";
inline constexpr std::string_view kConsentWithdrawn = "ConsentWithdrawn";
inline constexpr std::string_view kNoConnectionSecret = "NoConnectionSecret";

// OutdatedClass=True.
inline constexpr std::string_view kClassChanged = "ClassChanged";

// Classes and providers.
inline constexpr std::string_view kNoSuchClaimKind = "NoSuchClaimKind";
inline constexpr std::string_view kUsed = "Used";

// Events alone.
inline constexpr std::string_view kBound = "Bound";
inline constexpr std::string_view kReleased = "Released";

}  // namespace reason
}  // namespace chandler::reconcilers::claims
