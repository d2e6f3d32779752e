// Reasons of conditions and events about brokers and what they offer.
#pragma once

#include <string_view>

namespace chandler::reconcilers::reason {

inline constexpr std::string_view kFetchedCatalog = "FetchedCatalog";
inline constexpr std::string_view kErrorFetchingCatalog = "ErrorFetchingCatalog";
inline constexpr std::string_view kErrorSyncingCatalog = "ErrorSyncingCatalog";
inline constexpr std::string_view kDeletedClusterBroker = "DeletedClusterServiceBrokerSuccessfully";
inline constexpr std::string_view kDeletedBroker = "DeletedSuccessfully";

// Ours.
inline constexpr std::string_view kDeletionBlocked = "DeletionBlockedByInstances";
inline constexpr std::string_view kFieldsOverwritten = "FieldsOverwrittenByCatalog";
inline constexpr std::string_view kDefaultPlanSet = "DefaultPlanSet";
inline constexpr std::string_view kDefaultPlanUnset = "DefaultPlanUnset";
inline constexpr std::string_view kVersionRefused = "APIVersionRefused";
inline constexpr std::string_view kSecretInUse = "SecretInUse";

}  // namespace chandler::reconcilers::reason
