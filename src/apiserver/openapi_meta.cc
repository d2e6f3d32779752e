#include "apiserver/openapi_meta.h"

#include <utility>

namespace chandler::apiserver {
namespace {

constexpr std::string_view kIntOrString = R"({
  "description": "An integer or a string.", "format": "int-or-string", "type": "string",
  "oneOf": [{"type": "integer"}, {"type": "string"}]})";

constexpr std::string_view kQuantity = R"({
  "description": "An amount such as 500m, 1.5 or 2Gi.", "type": "string",
  "oneOf": [{"type": "string"}, {"type": "number"}]})";

constexpr std::string_view kPatch = R"({
  "description": "The change, in the form that the content type names.", "type": "object"})";

constexpr std::string_view kListMeta = R"({
  "description": "Metadata of a list.", "type": "object", "properties": {
    "resourceVersion": {"type": "string", "description": "Version of the state shown; a watch may start from it."},
    "continue": {"type": "string", "description": "Token for the next page; empty on the last one."},
    "remainingItemCount": {"type": "integer", "format": "int64", "description": "Number of objects on later pages."},
    "selfLink": {"type": "string", "description": "No longer used."}}})";

constexpr std::string_view kManagedFields = R"({
  "description": "Who set which fields, and when.", "type": "array", "x-kubernetes-list-type": "atomic",
  "items": {"type": "object", "properties": {
    "manager": {"type": "string", "description": "Who set the fields."},
    "operation": {"type": "string", "description": "Apply or Update."},
    "apiVersion": {"type": "string", "description": "Version in which the fields are named."},
    "time": {"type": "string", "format": "date-time", "description": "When they were last changed."},
    "fieldsType": {"type": "string", "description": "Form of the field set; FieldsV1."},
    "fieldsV1": {"type": "object", "description": "The set of fields.", "x-kubernetes-preserve-unknown-fields": true},
    "subresource": {"type": "string", "description": "Subresource through which they were set."}}}})";

constexpr std::string_view kStatus = R"({
  "description": "Answer to a request that returns no other object.", "type": "object", "properties": {
    "apiVersion": {"type": "string", "description": "v1."},
    "kind": {"type": "string", "description": "Status."},
    "metadata": {"$ref": "fragment/ListMeta"},
    "status": {"type": "string", "description": "Success or Failure."},
    "message": {"type": "string", "description": "What happened, for people."},
    "reason": {"type": "string", "description": "What happened, in one word for programs."},
    "code": {"type": "integer", "format": "int32", "description": "HTTP status."},
    "details": {"$ref": "fragment/StatusDetails"}},
  "x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Status"}]})";

constexpr std::string_view kStatusDetails = R"({
  "description": "What the answer is about.", "type": "object", "properties": {
    "name": {"type": "string", "description": "Name of the object."},
    "group": {"type": "string", "description": "Its group."},
    "kind": {"type": "string", "description": "Its resource, or its kind where fields were refused."},
    "uid": {"type": "string", "description": "Its UID."},
    "retryAfterSeconds": {"type": "integer", "format": "int32", "description": "When to try again."},
    "causes": {"type": "array", "description": "Single faults.", "x-kubernetes-list-type": "atomic",
      "items": {"type": "object", "properties": {
        "reason": {"type": "string", "description": "The fault in one word."},
        "message": {"type": "string", "description": "The fault in a sentence."},
        "field": {"type": "string", "description": "Path of the field, such as spec.ports[0].name."}}}}}})";

constexpr std::string_view kDeleteOptions = R"({
  "description": "How to delete.", "type": "object", "properties": {
    "apiVersion": {"type": "string", "description": "v1."},
    "kind": {"type": "string", "description": "DeleteOptions."},
    "gracePeriodSeconds": {"type": "integer", "format": "int64", "description": "Time to stop; 0 is at once."},
    "orphanDependents": {"type": "boolean", "description": "Old form of propagationPolicy Orphan."},
    "propagationPolicy": {"type": "string", "description": "What happens to dependents: Background, Foreground or Orphan."},
    "dryRun": {"type": "array", "description": "All: nothing is stored.", "x-kubernetes-list-type": "atomic",
      "items": {"type": "string"}},
    "preconditions": {"type": "object", "description": "What must be true of the object.", "properties": {
      "uid": {"type": "string", "description": "Its UID."},
      "resourceVersion": {"type": "string", "description": "Its version."}}}},
  "x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "DeleteOptions"}]})";

constexpr std::string_view kTokenRequest = R"({
  "description": "Asks for a token of a ServiceAccount.", "type": "object", "required": ["spec"], "properties": {
    "apiVersion": {"type": "string", "description": "authentication.k8s.io/v1."},
    "kind": {"type": "string", "description": "TokenRequest."},
    "metadata": {"$ref": "fragment/ObjectMeta"},
    "spec": {"type": "object", "description": "What is asked for.", "properties": {
      "audiences": {"type": "array", "description": "For whom the token is meant; none: this server.",
        "x-kubernetes-list-type": "atomic", "items": {"type": "string"}},
      "expirationSeconds": {"type": "integer", "format": "int64", "description": "How long it is good; an hour if left out."},
      "boundObjectRef": {"type": "object", "description": "The object with whose end the token ends.", "properties": {
        "apiVersion": {"type": "string", "description": "v1."},
        "kind": {"type": "string", "description": "Pod, Secret or Node."},
        "name": {"type": "string", "description": "Name of the object."},
        "uid": {"type": "string", "description": "UID of the object."}}}}},
    "status": {"type": "object", "description": "The answer.", "properties": {
      "token": {"type": "string", "description": "The token."},
      "expirationTimestamp": {"type": "string", "format": "date-time", "description": "When it ends."}}}},
  "x-kubernetes-group-version-kind": [{"group": "authentication.k8s.io", "version": "v1", "kind": "TokenRequest"}]})";

constexpr std::pair<std::string_view, std::string_view> kSchemas[] = {
    {"IntOrString", kIntOrString},
    {"Quantity", kQuantity},
    {"Patch", kPatch},
    {"ListMeta", kListMeta},
    {"Status", kStatus},
    {"StatusDetails", kStatusDetails},
    {"DeleteOptions", kDeleteOptions},
    {"ManagedFields", kManagedFields},
    {"TokenRequest", kTokenRequest},
};

}  // namespace

std::string_view meta_schema(std::string_view name) {
  for (const auto& [known, schema] : kSchemas) {
    if (known == name) return schema;
  }
  return {};
}

}  // namespace chandler::apiserver
