// Reasons of conditions and events. The words are those that scripts around service catalogs look for; new ones of ours
// stand in a group of their own.
#pragma once

#include <string_view>

namespace chandler::reconcilers::reason {

// Instances.
inline constexpr std::string_view kProvisionRequestInFlight = "ProvisionRequestInFlight";
inline constexpr std::string_view kProvisioning = "Provisioning";
inline constexpr std::string_view kProvisionedSuccessfully = "ProvisionedSuccessfully";
inline constexpr std::string_view kProvisionCallFailed = "ProvisionCallFailed";
inline constexpr std::string_view kErrorCallingProvision = "ErrorCallingProvision";
inline constexpr std::string_view kBrokerReturnedFailure = "ClusterServiceBrokerReturnedFailure";
inline constexpr std::string_view kUpdateRequestInFlight = "UpdateInstanceRequestInFlight";
inline constexpr std::string_view kUpdatingInstance = "UpdatingInstance";
inline constexpr std::string_view kInstanceUpdated = "InstanceUpdatedSuccessfully";
inline constexpr std::string_view kUpdateCallFailed = "UpdateInstanceCallFailed";
inline constexpr std::string_view kErrorCallingUpdate = "ErrorCallingUpdateInstance";
inline constexpr std::string_view kDeprovisionRequestInFlight = "DeprovisionRequestInFlight";
inline constexpr std::string_view kDeprovisioning = "Deprovisioning";
inline constexpr std::string_view kDeprovisioned = "DeprovisionedSuccessfully";
inline constexpr std::string_view kDeprovisionCallFailed = "DeprovisionCallFailed";
inline constexpr std::string_view kDeprovisionBlocked = "DeprovisionBlockedByExistingCredentials";
inline constexpr std::string_view kBindingsDeletion = "ServiceBindingsDeletion";

// Cleaning up after a request whose outcome is unknown.
inline constexpr std::string_view kStartingMitigation = "StartingInstanceOrphanMitigation";
inline constexpr std::string_view kMitigationSuccessful = "OrphanMitigationSuccessful";
inline constexpr std::string_view kMitigationFailed = "OrphanMitigationFailed";
inline constexpr std::string_view kBindingNeedsMitigation = "ServiceBindingNeedsOrphanMitigation";

// References and parameters.
inline constexpr std::string_view kNoSuchClass = "ReferencesNonexistentServiceClass";
inline constexpr std::string_view kNoSuchPlan = "ReferencesNonexistentServicePlan";
inline constexpr std::string_view kNoSuchBroker = "ReferencesNonexistentBroker";
inline constexpr std::string_view kClassRemoved = "ReferencesDeletedServiceClass";
inline constexpr std::string_view kPlanRemoved = "ReferencesDeletedServicePlan";
inline constexpr std::string_view kErrorWithParameters = "ErrorWithParameters";
inline constexpr std::string_view kErrorFindingNamespace = "ErrorFindingNamespaceForInstance";
inline constexpr std::string_view kErrorGettingCredentials = "ErrorGettingAuthCredentials";
inline constexpr std::string_view kRetryTimeout = "ErrorReconciliationRetryTimeout";
inline constexpr std::string_view kErrorPolling = "ErrorPollingLastOperation";
inline constexpr std::string_view kRetryBackoff = "RetryBackoff";

// Bindings.
inline constexpr std::string_view kBindRequestInFlight = "BindingRequestInFlight";
inline constexpr std::string_view kBinding = "Binding";
inline constexpr std::string_view kInjected = "InjectedBindResult";
inline constexpr std::string_view kErrorInjecting = "ErrorInjectingBindResult";
inline constexpr std::string_view kBindCallFailed = "BindCallFailed";
inline constexpr std::string_view kBindingReturnedFailure = "ServiceBindingReturnedFailure";
inline constexpr std::string_view kFetchingBindingFailed = "FetchingBindingFailed";
inline constexpr std::string_view kUnbindRequestInFlight = "UnbindingRequestInFlight";
inline constexpr std::string_view kUnbinding = "Unbinding";
inline constexpr std::string_view kUnbound = "UnboundSuccessfully";
inline constexpr std::string_view kUnbindCallFailed = "UnbindCallFailed";
inline constexpr std::string_view kErrorEjecting = "ErrorEjectingServiceBinding";
inline constexpr std::string_view kNoSuchInstance = "ReferencesNonexistentInstance";
inline constexpr std::string_view kInstanceUnresolved = "ErrorInstanceRefsUnresolved";
inline constexpr std::string_view kInstanceNotReady = "ErrorInstanceNotReady";
inline constexpr std::string_view kNotBindable = "ErrorNonbindableServiceClass";
inline constexpr std::string_view kAsyncTimeout = "AsyncOperationTimeout";

// Ours.
inline constexpr std::string_view kAmbiguousReference = "AmbiguousReference";
inline constexpr std::string_view kNoDefaultPlan = "NoDefaultPlan";
inline constexpr std::string_view kAmbiguousDefaultPlan = "AmbiguousDefaultPlan";
inline constexpr std::string_view kServiceTypeMismatch = "ServiceTypeMismatch";
inline constexpr std::string_view kPlanNotUpdatable = "PlanNotUpdatable";
inline constexpr std::string_view kClassCannotChange = "ClassCannotChange";
inline constexpr std::string_view kInstanceCannotChange = "InstanceCannotChange";
inline constexpr std::string_view kExternalIdInUse = "ExternalIDInUse";
inline constexpr std::string_view kInvalidExternalId = "InvalidExternalID";
inline constexpr std::string_view kInvalidParameters = "InvalidParameters";
inline constexpr std::string_view kPlanChosen = "PlanChosen";
inline constexpr std::string_view kDefaultsApplied = "DefaultParametersApplied";
inline constexpr std::string_view kAbandoned = "Abandoned";
inline constexpr std::string_view kRemovalRepeated = "RemovalRepeated";
inline constexpr std::string_view kDashboardNotShown = "DashboardURLNotShown";

}  // namespace chandler::reconcilers::reason
