#include "meta/protobuf/decoder.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "json/reader.h"
#include "json/writer.h"
#include "meta/protobuf/test_encoder.h"
#include "support/source_path.h"

namespace chandler::meta {
namespace {

using testing::body;
using testing::bytes;
using testing::entry;
using testing::moment;
using testing::number;
using testing::real;
using testing::tag;

// Bodies that kubectl 1.32 and 1.33 sent, and the documents they stand for.
std::vector<std::filesystem::path> recorded() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(chandler::testing::source_path("tests/compat/protobuf"))) {
    if (entry.path().extension() == ".hex") files.push_back(entry.path());
  }
  return files;
}

std::string read_hex(const std::filesystem::path& path) {
  const auto text = read_file(path).value();
  std::string out, digits;
  for (const char c : text) {
    if (c != '\n') digits.push_back(c);
    if (digits.size() < 2) continue;
    out.push_back(static_cast<char>(std::stoi(digits, nullptr, 16)));
    digits.clear();
  }
  return out;
}

std::string canonical(std::string_view text) { return json::write(json::parse(text).value()); }

TEST(DecodeProtobuf, ReadsWhatKubectlSends) {
  const auto files = recorded();
  EXPECT_GE(files.size(), 19u);
  for (auto path : files) {
    const auto got = decode_protobuf(read_hex(path));
    ASSERT_TRUE(got.ok()) << path << ": " << got.error().message;
    const auto want = read_file(path.replace_extension(".json")).value();
    EXPECT_EQ(json::write(*got), canonical(want)) << path;
  }
}

TEST(DecodeProtobuf, MakesOnlyReadableDocumentsOfBodiesThatEndEarlyOrAreDamaged) {
  const auto readable = [](std::string_view body) {
    const auto got = decode_protobuf(body);
    return !got.ok() || json::parse(json::write(*got)).ok();
  };
  for (const auto& path : recorded()) {
    const auto whole = read_hex(path);
    const size_t step = whole.size() > 1000 ? 37 : 1;
    for (size_t i = 0; i < whole.size(); i += step) {
      EXPECT_TRUE(readable(std::string_view(whole).substr(0, i))) << path << " cut at " << i;
      auto damaged = whole;
      damaged[i] = static_cast<char>(~damaged[i]);
      EXPECT_TRUE(readable(damaged)) << path << " damaged at " << i;
    }
  }
}

TEST(DecodeProtobuf, ReadsKindsThatOtherClientsSend) {
  const std::string reference = bytes(1, "ServiceInstance") + bytes(2, "shop") + bytes(3, "db") + bytes(4, "");
  const std::string schema = bytes(5, "object") + bytes(8, bytes(1, R"({"a":[1]})")) +
                             real(9, std::string_view("\0\0\0\0\0\0\xf8\x3f", 8)) + number(13, 0) +
                             bytes(20, bytes(1, "0")) + bytes(20, bytes(1, "null")) + bytes(36, bytes(1, "false")) +
                             bytes(24, bytes(1, bytes(5, "string"))) + bytes(30, number(1, 0)) +
                             entry(29, "list", bytes(24, bytes(2, bytes(3, "#/a")) + bytes(2, ""))) +
                             entry(29, "free", bytes(30, number(1, 1))) +
                             entry(29, "typed", bytes(30, number(1, 1) + bytes(2, bytes(5, "string")))) +
                             entry(32, "names", bytes(2, "x") + bytes(2, "y")) + number(38, 0) + bytes(42, "map");
  const struct {
    const char* name;
    const char* reason;
    std::string input;
    const char* want;
  } rows[] = {
      {"lease", "pointers keep their zero, times have microseconds",
       body("coordination.k8s.io/v1", "Lease",
            bytes(1, bytes(1, "leader") + bytes(8, "")) +
                bytes(2, bytes(1, "") + number(2, 15) + moment(3, 1'700'000'000, 1000) +
                             moment(4, 1'700'000'000, 999'999'999) + number(5, 0))),
       R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"leader"},"spec":{
          "holderIdentity":"","leaseDurationSeconds":15,"acquireTime":"2023-11-14T22:13:20.000001Z",
          "renewTime":"2023-11-14T22:13:20.999999Z","leaseTransitions":0}})"},
      {"event", "whole seconds in firstTimestamp, unset times are left out",
       body("v1", "Event",
            bytes(1, bytes(1, "db.1") + bytes(3, "shop")) + bytes(2, reference) + bytes(3, "Ready") + bytes(5, "") +
                moment(6, 1'700'000'000, 5) + bytes(7, "") + number(8, 1) + bytes(10, "") + bytes(12, "")),
       R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"db.1","namespace":"shop"},
          "involvedObject":{"kind":"ServiceInstance","namespace":"shop","name":"db"},"reason":"Ready","source":{},
          "firstTimestamp":"2023-11-14T22:13:20Z","count":1})"},
      {"new event", "the other Event has other numbers",
       body("events.k8s.io/v1", "Event",
            bytes(1, bytes(1, "e")) + moment(2, 0, 1000) + bytes(4, "chandler") + bytes(8, reference) +
                bytes(10, "note")),
       R"({"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"name":"e"},"eventTime":"1970-01-01T00:00:00.000001Z",
          "reportingController":"chandler","regarding":{"kind":"ServiceInstance","namespace":"shop","name":"db"},
          "note":"note"})"},
      {"delete options", "every group sends them under its own version",
       body("apps/v1", "DeleteOptions",
            number(1, 0) + bytes(2, bytes(1, "u")) + number(3, 0) + bytes(4, "Foreground") + bytes(5, "All")),
       R"({"apiVersion":"apps/v1","kind":"DeleteOptions","gracePeriodSeconds":0,"preconditions":{"uid":"u"},
          "orphanDependents":false,"propagationPolicy":"Foreground","dryRun":["All"]})"},
      {"subject access review", "extra values are plain lists",
       body("authorization.k8s.io/v1", "SubjectAccessReview",
            bytes(2, bytes(3, "alice") + entry(5, "scopes", bytes(1, "a") + bytes(1, "")))),
       R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview",
          "spec":{"user":"alice","extra":{"scopes":["a",""]}}})"},
      {"scale", "to scale to zero is a wish",
       body("autoscaling/v1", "Scale", bytes(1, bytes(1, "web")) + bytes(2, number(1, 0))),
       R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"web"},"spec":{"replicas":0}})"},
      {"webhooks", "controllers keep their own configuration up to date, in protobuf as anything",
       body("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration",
            bytes(1, bytes(1, "hooks")) +
                bytes(2, bytes(1, "a.b.c") + bytes(2, bytes(2, "pem") + bytes(3, "https://h")) +
                             bytes(3, bytes(1, "CREATE") + bytes(2, bytes(1, "") + bytes(2, "v1") + bytes(3, "pods"))) +
                             bytes(6, "None") + number(7, 5) + bytes(8, "v1") +
                             bytes(11, bytes(1, "c") + bytes(2, "true")))),
       R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration",)"
       R"("metadata":{"name":"hooks"},"webhooks":[{"admissionReviewVersions":["v1"],)"
       R"("clientConfig":{"caBundle":"cGVt","url":"https://h"},"matchConditions":[{"expression":"true","name":"c"}],)"
       R"("name":"a.b.c","rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}],)"
       R"("sideEffects":"None","timeoutSeconds":5}]})"},
      {"pod", "inline parts, quantities and packed numbers",
       body("v1", "Pod",
            bytes(1, bytes(17, bytes(1, "m") + moment(4, 1) + bytes(7, bytes(1, R"({"f:spec":{}})")))) +
                bytes(2, bytes(1, bytes(1, "tmp") + bytes(2, bytes(2, ""))) +
                             bytes(2, bytes(1, "c") + bytes(8, entry(1, "cpu", bytes(1, "100m"))) +
                                          bytes(10, bytes(1, bytes(2, bytes(2, number(1, 1) + number(2, 0) +
                                                                                   bytes(3, "http")))))) +
                             bytes(14, bytes(4, std::string("\x01\x96\x01", 3)) + number(4, 7)))),
       R"({"apiVersion":"v1","kind":"Pod","metadata":{"managedFields":[{"manager":"m","time":"1970-01-01T00:00:01Z",
          "fieldsV1":{"f:spec":{}}}]},"spec":{"volumes":[{"name":"tmp","emptyDir":{}}],"containers":[{"name":"c",
          "resources":{"limits":{"cpu":"100m"}},"livenessProbe":{"httpGet":{"port":"http"}}}],
          "securityContext":{"supplementalGroups":[1,150,7]}}})"},
      {"stateful set", "negative numbers and a zero rolling update",
       body("apps/v1", "StatefulSet",
            bytes(2, number(1, -1) + bytes(7, bytes(2, number(1, 0) + bytes(2, number(1, 0) + number(2, 0)))))),
       R"({"apiVersion":"apps/v1","kind":"StatefulSet","spec":{"replicas":-1,"updateStrategy":{"rollingUpdate":
          {"partition":0,"maxUnavailable":0}}}})"},
      {"custom resource definition", "schemas hold JSON, unions and names with a dollar",
       body("apiextensions.k8s.io/v1", "CustomResourceDefinition",
            bytes(2, bytes(7, bytes(1, "v1") + number(2, 1) + number(3, 0) + bytes(4, bytes(1, schema))))),
       R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"name":"v1",
          "served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","default":{"a":[1]},"maximum":1.5,
          "maxLength":0,"enum":[0,null],"example":false,"items":{"type":"string"},"additionalProperties":false,"properties":{
          "list":{"items":[{"$ref":"#/a"},{}]},"free":{"additionalProperties":true},
          "typed":{"additionalProperties":{"type":"string"}}},"dependencies":{"names":["x","y"]},
          "x-kubernetes-preserve-unknown-fields":false,"x-kubernetes-list-type":"map"}}}]}})"},
      {"unknown fields", "a newer client knows more than we do",
       body("v1", "Namespace",
            bytes(1, bytes(1, "a") + number(900, 1)) + bytes(901, "x") + real(902, "12345678") + tag(903, 5) + "1234"),
       R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"}})"},
      {"pieces", "a message may come in pieces, and the last scalar counts",
       body("v1", "Namespace", bytes(1, bytes(1, "a") + bytes(3, "n")) + bytes(1, bytes(1, "b") + bytes(3, ""))),
       R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"b"}})"},
      {"bare map entries", "key and value may be left out",
       body("v1", "ConfigMap", bytes(2, "") + bytes(2, bytes(1, "k")) + bytes(3, bytes(2, "v"))),
       R"({"apiVersion":"v1","kind":"ConfigMap","data":{"":"","k":""},"binaryData":{"":"dg=="}})"},
  };
  for (const auto& row : rows) {
    const auto got = decode_protobuf(row.input);
    ASSERT_TRUE(got.ok()) << row.name << ": " << got.error().message;
    EXPECT_EQ(json::write(*got), canonical(row.want)) << row.name << ": " << row.reason;
  }
}

TEST(DecodeProtobuf, RefusesWhatItCannotTurnIntoADocument) {
  const std::string type_meta = bytes(1, bytes(1, "v1") + bytes(2, "Namespace"));
  const auto lease = [](std::string time) { return body("coordination.k8s.io/v1", "Lease", bytes(2, time)); };
  const auto crd = [](std::string schema) {
    return body("apiextensions.k8s.io/v1", "CustomResourceDefinition", bytes(2, bytes(7, bytes(4, bytes(1, schema)))));
  };
  const struct {
    const char* name;
    const char* reason;
    std::string input;
    Reason want;
    const char* message;
  } rows[] = {
      {"empty", "there is no envelope", "", Reason::kBadRequest, "does not start with"},
      {"JSON", "the media type lied", R"({"kind":"Namespace"})", Reason::kBadRequest, "does not start with"},
      {"no type", "nobody could tell what it is", std::string("k8s\0", 4) + bytes(2, ""), Reason::kBadRequest,
       "name apiVersion and kind"},
      {"type is no text", "it would end up in the document", body("\xff", "DeleteOptions", ""), Reason::kBadRequest,
       "name apiVersion and kind"},
      {"unknown kind", "custom resources never come as protobuf", body("example.com/v1", "Widget", ""),
       Reason::kUnsupportedMediaType, "application/vnd.kubernetes.protobuf of example.com/v1/Widget"},
      {"known kind of another version", "the numbers may differ", body("v2", "Namespace", ""),
       Reason::kUnsupportedMediaType, "v2/Namespace"},
      {"compressed", "no client does it", std::string("k8s\0", 4) + type_meta + bytes(3, "gzip"),
       Reason::kUnsupportedMediaType, "gzip"},
      {"JSON inside", "no client does it", std::string("k8s\0", 4) + type_meta + bytes(4, "application/json"),
       Reason::kUnsupportedMediaType, "application/json"},
      {"number for text", "the wire type must fit the field", body("v1", "Namespace", bytes(1, number(1, 1))),
       Reason::kBadRequest, "field name (1) has wire type 0, not 2"},
      {"text for number", "the wire type must fit the field", body("apps/v1", "Deployment", bytes(2, bytes(1, "3"))),
       Reason::kBadRequest, "field replicas (1) has wire type 2, not 0"},
      {"number for message", "the wire type must fit the field", body("v1", "Namespace", number(1, 1)),
       Reason::kBadRequest, "field metadata (1) has wire type 0, not 2"},
      {"number for map", "the wire type must fit the field", body("v1", "ConfigMap", number(2, 1)), Reason::kBadRequest,
       "field data (2)"},
      {"number for key", "keys are text", body("v1", "ConfigMap", bytes(2, number(1, 1))), Reason::kBadRequest,
       "field data (2)"},
      {"ill-formed text", "JSON is UTF-8", body("v1", "Namespace", bytes(1, bytes(1, "\xc3"))), Reason::kBadRequest,
       "not valid UTF-8"},
      {"ill-formed key", "JSON is UTF-8", body("v1", "ConfigMap", entry(2, "\xc3", "a")), Reason::kBadRequest,
       "a key in data is not valid UTF-8"},
      {"year 10000", "RFC 3339 ends at 9999", lease(moment(3, 253'402'300'800)), Reason::kBadRequest, "are no time"},
      {"before year 1", "RFC 3339 starts there", lease(moment(3, -62'135'596'801)), Reason::kBadRequest, "are no time"},
      {"a second of nanoseconds", "they are a fraction", lease(moment(3, 0, 1'000'000'000)), Reason::kBadRequest,
       "are no time"},
      {"broken JSON", "it would be stored", crd(bytes(8, bytes(1, "{"))), Reason::kBadRequest, "embedded JSON"},
      {"not a number", "JSON has no NaN", crd(real(9, std::string_view("\0\0\0\0\0\0\xf8\x7f", 8))),
       Reason::kBadRequest, "not finite"},
      {"neither int nor string", "there are two types",
       body("apps/v1", "Deployment", bytes(2, bytes(4, bytes(2, bytes(1, number(1, 2)))))), Reason::kBadRequest,
       "neither the number nor the string"},
  };
  for (const auto& row : rows) {
    const auto got = decode_protobuf(row.input);
    ASSERT_FALSE(got.ok()) << row.name << ": " << row.reason;
    EXPECT_EQ(got.error().reason, row.want) << row.name << ": " << row.reason;
    EXPECT_NE(got.error().message.find(row.message), std::string::npos) << row.name << ": " << got.error().message;
  }
}

TEST(DecodeProtobuf, BoundsTheDepthSoThatTheDocumentCanBeReadAgain) {
  size_t deepest = 0;
  std::string schema;
  for (size_t level = 0; level < 200; ++level) {
    const auto got = decode_protobuf(
        body("apiextensions.k8s.io/v1", "CustomResourceDefinition", bytes(2, bytes(7, bytes(4, bytes(1, schema))))));
    if (got.ok()) {
      deepest = level;
      EXPECT_TRUE(json::parse(json::write(*got)).ok()) << level;
    } else {
      EXPECT_NE(got.error().message.find("nests deeper than"), std::string::npos) << got.error().message;
    }
    schema = entry(29, "p", schema);
  }
  EXPECT_GT(deepest, 40u);
  EXPECT_LT(deepest, 64u);

  deepest = 0;
  for (size_t level = 1; level < 130; ++level) {
    const std::string brackets = std::string(level, '[') + std::string(level, ']');
    const auto got = decode_protobuf(body("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                                          bytes(2, bytes(7, bytes(4, bytes(1, bytes(8, bytes(1, brackets))))))));
    if (!got.ok()) continue;
    deepest = level;
    EXPECT_TRUE(json::parse(json::write(*got)).ok()) << level;
  }
  EXPECT_GT(deepest, 100u);
  EXPECT_LT(deepest, 128u);
}

}  // namespace
}  // namespace chandler::meta
