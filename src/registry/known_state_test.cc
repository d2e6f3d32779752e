// Updates by somebody who has parsed the current state already: they come to the same as without.
#include <future>
#include <optional>

#include "registry/objects.h"
#include "registry/registry_fixture.h"

namespace chandler::registry {
namespace {

using testing::CacheOverMemory;
using testing::FakeAdmission;
using testing::widgets;
using testing::yaml;

class KnownStateTest : public ::testing::Test {
 protected:
  KnownStateTest() {
    auto made = objects_.create_and_wait(request("", false), yaml("{metadata: {name: a, labels: {tier: front}}, spec: "
                                                                  "{color: blue, size: 1}}"));
    EXPECT_TRUE(made.ok()) << made.error().message;
  }

  static std::shared_ptr<WriteRequest> request(std::string_view subresource, bool with_status) {
    auto out = std::make_shared<WriteRequest>();
    out->kind = widgets();
    out->version = &widgets()->storage_version();
    out->ns = "ns";
    out->name = "a";
    out->subresource = subresource;
    out->with_status = with_status;
    out->manager = "painter";
    out->managed_subresource = subresource;
    return out;
  }
  DocumentPtr current() const { return world_.cache.get(*widgets(), "ns", "a"); }
  // Paints it, and says so in the status.
  Result<WriteResult> update(std::shared_ptr<WriteRequest> asked, KnownState known, std::string color = "red") {
    std::promise<Result<WriteResult>> promise;
    objects_.update(
        std::move(asked),
        [color](const Document& document) -> Result<json::Value> {
          auto object = document.parse_unmanaged();
          object.at("spec").as_object()["color"] = color;
          object.as_object()["status"] = json::Object{{"phase", color}};
          return object;
        },
        nullptr, [&](Result<WriteResult> result) { promise.set_value(std::move(result)); }, known);
    return promise.get_future().get();
  }

  FakeAdmission admission_;
  ::chandler::testing::FakeClock clock_;
  CacheOverMemory world_;
  Objects objects_{world_.store, world_.cache, nullptr, admission_, clock_};
};

TEST_F(KnownStateTest, ComesToTheSame) {
  struct Row {
    const char* why;
    const char* subresource;
    bool with_status;
  };
  for (const auto& row : {Row{"the object", "", false}, Row{"the status", "status", false}, Row{"both", "", true}}) {
    SCOPED_TRACE(row.why);
    const auto document = current();
    const auto value = document->parse_unmanaged();
    std::string bytes[2];
    for (const bool knows : {false, true}) {
      auto asked = request(row.subresource, row.with_status);
      asked->dry_run = true;
      const auto result = update(asked, knows ? KnownState{document.get(), &value} : KnownState{});
      ASSERT_TRUE(result.ok()) << result.error().message;
      bytes[knows ? 1 : 0] = result->bytes;
    }
    EXPECT_NE(bytes[0].find("red"), std::string::npos);
    EXPECT_EQ(bytes[0], bytes[1]);
  }
}

TEST_F(KnownStateTest, IsNotTakenForAnotherState) {
  const auto before = current();
  const auto value = before->parse_unmanaged();
  ASSERT_TRUE(update(request("", false), {}, "green").ok());
  std::optional<std::string> seen;
  admission_.on_validate = [&](const AdmissionRequest& asked, meta::FieldErrors&) -> Result<void> {
    seen = json::string_or(asked.old->at("spec"), "color");
    return {};
  };
  ASSERT_TRUE(update(request("", false), {before.get(), &value}).ok());
  EXPECT_EQ(seen, "green");
}

TEST_F(KnownStateTest, NothingNewIsNoWrite) {
  ASSERT_TRUE(update(request("", true), {}).ok());
  const auto document = current();
  const auto value = document->parse_unmanaged();
  for (const std::string_view subresource : {"", "status"}) {
    const auto again = update(request(subresource, subresource.empty()), {document.get(), &value});
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->document, document) << subresource;
  }
}

TEST_F(KnownStateTest, WhoLosesARaceReadsAnew) {
  const auto document = current();
  const auto value = document->parse_unmanaged();
  int tries = 0;
  std::vector<std::string> olds;
  admission_.on_validate = [&](const AdmissionRequest& asked, meta::FieldErrors&) -> Result<void> {
    if (tries++ == 0) world_.put("ns", "a", "{spec: {color: yellow, size: 7}}");
    olds.push_back(json::string_or(asked.old->at("spec"), "color"));
    return {};
  };
  ASSERT_TRUE(update(request("", false), {document.get(), &value}).ok());
  EXPECT_EQ(olds, (std::vector<std::string>{"blue", "yellow"}));
}

}  // namespace
}  // namespace chandler::registry
