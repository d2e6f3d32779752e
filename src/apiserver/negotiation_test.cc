#include "apiserver/negotiation.h"

#include <gtest/gtest.h>

namespace chandler::apiserver {
namespace {

http::Request request(std::string_view accept, std::string_view agent = "") {
  http::Request out;
  if (!accept.empty()) out.headers.add("Accept", accept);
  if (!agent.empty()) out.headers.add("User-Agent", agent);
  return out;
}

std::string told(const Result<Output>& output) {
  if (!output.ok()) return std::string(reason_name(output.error().reason));
  std::string out = output->media == MediaType::kJson ? "json" : "yaml";
  if (output->shape == Shape::kTable) out += " table " + output->shape_version;
  if (output->shape == Shape::kPartialMetadata) out += " metadata " + output->shape_version;
  return out;
}

TEST(Negotiate, TakesTheFirstClauseThatCanBeMet) {
  struct Row {
    std::string name;
    std::string reason;
    std::string accept;
    Shapes shapes;
    std::string want;
  };
  const std::vector<Row> rows = {
      {"nothing", "JSON is the default", "", Shapes::kObject, "json"},
      {"json", "as asked", "application/json", Shapes::kObject, "json"},
      {"anything", "JSON is the default", "*/*", Shapes::kObject, "json"},
      {"any application", "recorded: a half wildcard is not met", "application/*", Shapes::kObject, "NotAcceptable"},
      {"any text", "nothing fits", "text/*", Shapes::kObject, "NotAcceptable"},
      {"yaml", "as asked", "application/yaml", Shapes::kObject, "yaml"},
      {"case", "media types have none", "Application/YAML", Shapes::kObject, "yaml"},
      {"parameters", "others do not matter", "application/json; charset=utf-8", Shapes::kObject, "json"},
      {"unknown first", "the next one is taken", "application/vnd.kubernetes.protobuf, application/json",
       Shapes::kObject, "json"},
      {"unknown only", "nothing fits", "application/vnd.kubernetes.protobuf", Shapes::kObject, "NotAcceptable"},
      {"weights", "what is liked better comes first", "application/yaml;q=0.5, application/json;q=0.9", Shapes::kObject,
       "json"},
      {"a weight that is none", "counts as not said", "application/yaml;q=much, application/json;q=0.9",
       Shapes::kObject, "yaml"},
      {"garbage", "nothing fits", ";;,;=,", Shapes::kObject, "NotAcceptable"},
      {"kubectl get", "a table, or else the object",
       "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/"
       "json",
       Shapes::kList, "json table v1"},
      {"blanks", "around separators", "application/json; as=Table ; v=v1beta1; g=meta.k8s.io", Shapes::kObject,
       "json table v1beta1"},
      {"old table", "not offered, the next one is taken",
       "application/json;as=Table;v=v1alpha1;g=meta.k8s.io,application/json", Shapes::kList, "json"},
      {"other group", "not offered", "application/json;as=Table;v=v1;g=example.com", Shapes::kList, "NotAcceptable"},
      {"metadata of an object", "by its own name", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
       Shapes::kObject, "json metadata v1"},
      {"metadata of a list", "by its own name", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
       Shapes::kList, "json metadata v1"},
      {"object's name for a list", "is another shape", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
       Shapes::kList, "NotAcceptable"},
      {"unknown shape", "not offered", "application/json;as=Tree;v=v1;g=meta.k8s.io", Shapes::kObject, "NotAcceptable"},
      {"no resource", "what is no resource has no shapes",
       "application/json;as=Table;v=v1;g=meta.k8s.io,application/json", Shapes::kNone, "json"},
      {"no resource, no choice", "nothing fits", "application/json;as=Table;v=v1;g=meta.k8s.io", Shapes::kNone,
       "NotAcceptable"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    EXPECT_EQ(told(negotiate(request(row.accept), {}, row.shapes)), row.want);
  }
}

TEST(Negotiate, PrettyForPeopleOrOnRequest) {
  const auto pretty = [](std::string_view agent, std::string_view query) {
    const auto output = negotiate(request("", agent), *QueryParameters::parse(query), Shapes::kObject);
    return output.ok() && output->pretty;
  };
  EXPECT_FALSE(pretty("kubectl/v1.30", ""));
  EXPECT_TRUE(pretty("curl/8.0", ""));
  EXPECT_TRUE(pretty("kubectl/v1.30", "pretty=true"));
  EXPECT_FALSE(pretty("curl/8.0", "pretty=false"));
}

TEST(Negotiate, IncludeObjectOfTables) {
  const auto include = [](std::string_view query) {
    return negotiate(request(""), *QueryParameters::parse(query), Shapes::kList)->include;
  };
  EXPECT_EQ(include(""), Output::Include::kMetadata);
  EXPECT_EQ(include("includeObject=Metadata"), Output::Include::kMetadata);
  EXPECT_EQ(include("includeObject=None"), Output::Include::kNone);
  EXPECT_EQ(include("includeObject=Object"), Output::Include::kObject);
}

TEST(ParseAccept, IsBounded) {
  std::string accept;
  for (int i = 0; i < 10'000; ++i) accept += "a/b,";
  EXPECT_LE(parse_accept(accept).size(), 64u);
  const auto clauses = parse_accept("Text/HTML;Q=0.5;x;charset=UTF-8, */*");
  ASSERT_EQ(clauses.size(), 2u);
  EXPECT_EQ(clauses[0].type, "*/*");
  EXPECT_EQ(clauses[1].type, "text/html");
  EXPECT_EQ(clauses[1].parameter("q"), "0.5");
  EXPECT_EQ(clauses[1].parameter("charset"), "UTF-8");
  EXPECT_EQ(clauses[1].parameter("x"), "");
}

TEST(AcceptsGzip, WhenTheClientSaysSo) {
  const auto accepts = [](std::string_view encodings) {
    http::Request out;
    out.headers.add("Accept-Encoding", encodings);
    return accepts_gzip(out);
  };
  EXPECT_TRUE(accepts("gzip"));
  EXPECT_TRUE(accepts("deflate, gzip;q=0.5"));
  EXPECT_FALSE(accepts("deflate"));
  EXPECT_FALSE(accepts("gzip;q=0"));
  EXPECT_FALSE(accepts(""));
}

}  // namespace
}  // namespace chandler::apiserver
