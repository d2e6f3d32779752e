#include "apiserver/openapi_operations.h"

#include "base/text.h"

namespace chandler::apiserver {
namespace {

using registry::Verb;
using Body = ApiOperation::Body;
using Answer = ApiOperation::Answer;

constexpr QueryParameter kDryRun{"dryRun", "string", "All: everything is checked, nothing is stored."};
constexpr QueryParameter kFieldManager{"fieldManager", "string", "Name of the actor that makes the change."};
constexpr QueryParameter kForce{"force", "boolean", "Applying takes over fields that others own."};
constexpr QueryParameter kFieldValidation{"fieldValidation", "string",
                                          "What happens to unknown and duplicate fields: Ignore, Warn or Strict."};
constexpr QueryParameter kGracePeriod{"gracePeriodSeconds", "integer", "Time the object has to stop; 0 is at once."};
constexpr QueryParameter kOrphan{"orphanDependents", "boolean", "Old form of propagationPolicy=Orphan."};
constexpr QueryParameter kPropagation{"propagationPolicy", "string",
                                      "What happens to dependents: Background, Foreground or Orphan."};
constexpr QueryParameter kLabels{"labelSelector", "string", "Only objects whose labels match."};
constexpr QueryParameter kFields{"fieldSelector", "string", "Only objects whose fields match."};
constexpr QueryParameter kLimit{"limit", "integer", "At most so many objects; the answer tells how to go on."};
constexpr QueryParameter kContinue{"continue", "string", "Token of the page before."};
constexpr QueryParameter kResourceVersion{"resourceVersion", "string", "Version of the state that is asked for."};
constexpr QueryParameter kMatch{"resourceVersionMatch", "string",
                                "How to read resourceVersion: Exact or NotOlderThan."};
constexpr QueryParameter kWatch{"watch", "boolean", "Stream changes instead of listing."};
constexpr QueryParameter kBookmarks{"allowWatchBookmarks", "boolean", "The stream may tell its progress."};
constexpr QueryParameter kInitial{"sendInitialEvents", "boolean", "The stream begins with the present objects."};
constexpr QueryParameter kTimeout{"timeoutSeconds", "integer", "How long the request may last."};

using Parameters = std::vector<const QueryParameter*>;

Parameters write_parameters() { return {&kDryRun, &kFieldManager, &kFieldValidation}; }
Parameters patch_parameters() { return {&kDryRun, &kFieldManager, &kFieldValidation, &kForce}; }
Parameters delete_parameters() { return {&kDryRun, &kGracePeriod, &kOrphan, &kPropagation}; }
Parameters list_parameters() {
  return {&kBookmarks,       &kContinue, &kFields,  &kLabels,  &kLimit,
          &kResourceVersion, &kMatch,    &kInitial, &kTimeout, &kWatch};
}
Parameters delete_collection_parameters() {
  auto out = delete_parameters();
  out.insert(out.end(), {&kContinue, &kFields, &kLabels, &kLimit, &kResourceVersion, &kMatch, &kTimeout});
  return out;
}

std::string capitalised(std::string_view text) {
  std::string out(text);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

// "AppsV1", "RbacAuthorizationV1", "ExampleComV1".
std::string group_word(const registry::Kind& kind, const registry::Version& version) {
  std::string_view group = kind.group.empty() ? "core" : std::string_view(kind.group);
  if (group.ends_with(".k8s.io")) group.remove_suffix(7);
  std::string out;
  for (const auto label : split(group, '.')) out += capitalised(label);
  return out + capitalised(version.name);
}

struct Candidate {
  Verb verb;
  std::string_view method;
  std::string_view action;
  std::string_view word;  // begins the operation's id
  std::string_view description;
  Parameters (*parameters)();
  Body body;
  Answer answer;
  bool creates;
};

Parameters no_parameters() { return {}; }

constexpr Candidate kList = {Verb::kList,     "get",       "list",        "list", "Lists or watches objects.",
                             list_parameters, Body::kNone, Answer::kList, false};
constexpr Candidate kOfCollection[] = {
    kList,
    {Verb::kCreate, "post", "post", "create", "Creates an object.", write_parameters, Body::kObject, Answer::kObject,
     true},
    {Verb::kDeleteCollection, "delete", "deletecollection", "deleteCollection", "Deletes all objects that match.",
     delete_collection_parameters, Body::kDeleteOptions, Answer::kStatus, false},
};
constexpr Candidate kOfObject[] = {
    {Verb::kGet, "get", "get", "read", "Reads an object.", no_parameters, Body::kNone, Answer::kObject, false},
    {Verb::kUpdate, "put", "put", "replace", "Replaces an object.", write_parameters, Body::kObject, Answer::kObject,
     true},
    {Verb::kPatch, "patch", "patch", "patch", "Changes an object.", patch_parameters, Body::kPatch, Answer::kObject,
     true},
    {Verb::kDelete, "delete", "delete", "delete", "Deletes an object.", delete_parameters, Body::kDeleteOptions,
     Answer::kStatus, false},
};

constexpr Candidate kOfScale[] = {
    {Verb::kGet, "get", "get", "read", "Reads the number of replicas.", no_parameters, Body::kNone, Answer::kScale,
     false},
    {Verb::kUpdate, "put", "put", "replace", "Replaces the number of replicas.", write_parameters, Body::kScale,
     Answer::kScale, false},
    {Verb::kPatch, "patch", "patch", "patch", "Changes the number of replicas.", write_parameters, Body::kPatch,
     Answer::kScale, false},
};

constexpr Candidate kFinalize = {
    Verb::kUpdate,    "put",         "put",           "replace", "Replaces the finalizers of the spec.",
    write_parameters, Body::kObject, Answer::kObject, true};
constexpr Candidate kToken = {Verb::kGet,
                              "post",
                              "post",
                              "create",
                              "Makes a token of the account.",
                              write_parameters,
                              Body::kTokenRequest,
                              Answer::kTokenRequest,
                              true};

void add(const Candidate& candidate, const registry::Kind& kind, const std::string& subject, ApiPath& path) {
  if (!kind.allows(candidate.verb)) return;
  path.operations.push_back({candidate.method, candidate.action, std::string(candidate.word) + subject,
                             candidate.description, candidate.parameters(), candidate.body, candidate.answer,
                             candidate.creates});
}

}  // namespace

std::vector<ApiPath> api_paths(const registry::Kind& kind, const registry::Version& version) {
  const std::string root = (kind.group.empty() ? "/api/" : "/apis/" + kind.group + "/") + version.name + "/";
  const std::string group = group_word(kind, version);
  const std::string subject = group + (kind.namespaced ? "Namespaced" : "") + kind.kind;
  const std::string collection = root + (kind.namespaced ? "namespaces/{namespace}/" : "") + kind.plural;

  std::vector<ApiPath> out;
  if (kind.namespaced && kind.allows(Verb::kList)) {
    ApiPath everywhere{root + kind.plural, false, false, {}};
    add(kList, kind, group + kind.kind + "ForAllNamespaces", everywhere);
    out.push_back(std::move(everywhere));
  }
  ApiPath objects{collection, kind.namespaced, false, {}};
  for (const auto& candidate : kOfCollection) add(candidate, kind, subject, objects);
  if (!objects.operations.empty()) out.push_back(std::move(objects));

  ApiPath object{collection + "/{name}", kind.namespaced, true, {}};
  for (const auto& candidate : kOfObject) add(candidate, kind, subject, object);
  if (!object.operations.empty()) out.push_back(std::move(object));

  if (version.has_status) {
    ApiPath status{collection + "/{name}/status", kind.namespaced, true, {}};
    for (const auto& candidate : kOfObject) {
      if (candidate.verb != Verb::kDelete) add(candidate, kind, subject + "Status", status);
    }
    if (!status.operations.empty()) out.push_back(std::move(status));
  }
  if (version.scale) {
    ApiPath scale{collection + "/{name}/scale", kind.namespaced, true, {}};
    for (const auto& candidate : kOfScale) add(candidate, kind, subject + "Scale", scale);
    if (!scale.operations.empty()) out.push_back(std::move(scale));
  }
  const auto add_part = [&](std::string_view part, const Candidate& candidate) {
    ApiPath path{collection + "/{name}/" + std::string(part), kind.namespaced, true, {}};
    add(candidate, kind, subject + capitalised(part), path);
    out.push_back(std::move(path));
  };
  if (kind.group.empty() && kind.plural == "namespaces") add_part("finalize", kFinalize);
  if (kind.group.empty() && kind.plural == "serviceaccounts") add_part("token", kToken);
  return out;
}

std::vector<std::string_view> patch_types(const registry::Kind& kind) {
  std::vector<std::string_view> out{"application/json-patch+json", "application/merge-patch+json"};
  if (kind.builtin) out.push_back("application/strategic-merge-patch+json");
  out.push_back("application/apply-patch+yaml");
  return out;
}

}  // namespace chandler::apiserver
