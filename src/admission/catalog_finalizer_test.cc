// Who may remove the finalizer of instances and bindings, and what becomes of the write.
#include "admission/catalog_metadata.h"
#include "admission/catalog_rows.h"
#include "admission/fields.h"
#include "admission/kind_rules.h"

namespace chandler::admission {
namespace {

struct FinalizedKind {
  std::string plural;
  std::string spec;
  std::string status_field;
  Change complete;
  Permit permit;
};

const std::vector<FinalizedKind>& finalized_kinds() {
  static const std::vector<FinalizedKind> kinds = {
      {"serviceinstances", R"({"serviceType":"mysql","externalID":"x"})", "deprovisionStatus", default_service_instance,
       permit_service_instance},
      {"servicebindings", R"({"instanceRef":{"name":"i"},"externalID":"x"})", "unbindStatus", default_service_binding,
       permit_service_binding}};
  return kinds;
}

enum class Method { kPut, kPatch };
constexpr auto kPut = Method::kPut;
constexpr auto kPatch = Method::kPatch;

// A write that leaves the finalizer out.
struct Removal {
  std::string name;
  std::string reason;
  bool deleting;
  Method method;
  std::string at_broker;  // what the status says
  bool is_abandoned;      // before
  bool has_record;
  std::string with_right;
  std::string without;
};

// "gone", "kept" or "abandons" say what becomes of the finalizer, "warned" that the client gets a warning, "refused" is
// 403.
std::string outcome_of(const FinalizedKind& kind, const Removal& row, CatalogWorld& world) {
  auto old =
      document(R"({"metadata":{"name":"o","namespace":"a","uid":"u1"},"spec":)" + kind.spec + R"(,"status":{}})");
  auto& metadata = old.at("metadata").as_object();
  if (row.deleting) metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  if (row.is_abandoned) object_in(metadata, "annotations")[kAbandonAnnotation] = "true";
  if (!row.at_broker.empty()) old.at("status").as_object()[kind.status_field] = row.at_broker;
  auto object = old;
  metadata["finalizers"] = json::Array{text(kCatalogFinalizer), "example.com/hold"};
  object.at("metadata").as_object()["finalizers"] = json::Array{"example.com/hold"};

  std::vector<std::string> warnings;
  auto context = world.context(kind.plural, true, object, &old);
  context.replaces = row.method == kPut;
  context.warnings = &warnings;
  kind.complete(context);
  const auto once = json::write(object);
  kind.complete(context);
  EXPECT_EQ(json::write(object), once) << "a second pass changes nothing";
  for (const auto& warning : warnings) {
    EXPECT_NE(warning.find(kCatalogFinalizer), std::string::npos) << warning;
  }

  const auto finalizers = json::write(member(object.at("metadata"), "finalizers"));
  EXPECT_TRUE(finalizers == json::write(metadata["finalizers"]) || finalizers == R"(["example.com/hold"])")
      << "in its place: " << finalizers;
  const auto permitted = kind.permit(context);
  if (!permitted.ok()) {
    EXPECT_EQ(permitted.error().http(), 403);
    for (const auto part : {kCatalogFinalizer, kAbandonAnnotation, std::string_view("Delete the object")}) {
      EXPECT_NE(permitted.error().message.find(part), std::string::npos) << permitted.error().message;
    }
    EXPECT_FALSE(warnings.empty()) << "the warning says why it is refused";
    return "refused";
  }
  const bool kept = finalizers == json::write(metadata["finalizers"]);
  const bool now = json::string_or(member(object.at("metadata"), "annotations"), kAbandonAnnotation) == "true";
  std::string out = !kept ? "gone" : now && !row.is_abandoned ? "abandons" : "kept";
  return out + (warnings.empty() ? "" : " warned");
}

const std::vector<Removal>& removals() {
  static const std::vector<Removal> rows = {
      {"manifest", "kubectl replace never lists it", false, kPut, "Required", false, false, "kept", "kept"},
      {"manifest of what is not there", "the same", false, kPut, "", false, false, "kept", "kept"},
      {"patched early", "a request may be about to be sent", false, kPatch, "", false, false, "kept warned",
       "kept warned"},
      {"patched when refused", "the broker has nothing", false, kPatch, "NotRequired", false, false, "kept warned",
       "kept warned"},
      {"patched", "a deletion would not ask the broker", false, kPatch, "Required", false, false, "abandons warned",
       "refused"},
      {"patched when abandoned", "the deletion still writes the record", false, kPatch, "Required", true, false,
       "kept warned", "kept warned"},
      {"recorded and restored", "an old record allows nothing while nobody deletes", false, kPatch, "Required", true,
       true, "kept warned", "kept warned"},

      {"deleted, never sent", "nothing is lost", true, kPatch, "", false, false, "gone", "gone"},
      {"deleted, ended", "another controller has finished", true, kPut, "Succeeded", false, false, "gone", "gone"},
      {"deleted, nothing there", "the same", true, kPatch, "NotRequired", false, false, "gone", "gone"},
      {"deleted, held", "what the broker has is lost", true, kPatch, "Required", false, false, "abandons warned",
       "refused"},
      {"deleted, given up", "other controllers give up after a failure", true, kPatch, "Failed", false, false,
       "abandons warned", "refused"},
      {"deleted, held, replaced", "controllers replace, so a PUT can mean it", true, kPut, "Required", false, false,
       "abandons warned", "refused"},
      {"deleted, abandoned", "the record comes first", true, kPatch, "Required", true, false, "kept warned",
       "kept warned"},
      {"deleted, abandoned, recorded", "a controller of another name ends it", true, kPut, "Required", true, true,
       "gone", "gone"},
      {"deleted, recorded, taken back", "the record alone is no permission", true, kPatch, "Required", false, true,
       "abandons warned", "refused"}};
  return rows;
}

TEST(CatalogFinalizer, ItsRemovalCountsAsARequestToAbandon) {
  for (const auto& kind : finalized_kinds()) {
    for (const auto& row : removals()) {
      SCOPED_TRACE(kind.plural + ": " + row.name + ": " + row.reason);
      const auto outcome = [&](bool with_right, std::string_view user) {
        CatalogWorld world;
        world.user.name = user;
        if (row.has_record) {
          world.lookup.add("/configmaps", R"({"metadata":{"name":"abandoned-u1","namespace":"kube-system"}})");
        }
        if (with_right) world.grant("r", "a", kCatalogGroup, kind.plural, "abandon", "o");
        return outcome_of(kind, row, world);
      };
      EXPECT_EQ(outcome(true, "ann"), row.with_right);
      EXPECT_EQ(outcome(false, "ann"), row.without);
      EXPECT_EQ(outcome(false, kCatalogController), "gone");
    }
  }
}

TEST(CatalogFinalizer, TheWarningNamesTheRecord) {
  for (const bool deleting : {true, false}) {
    CatalogWorld world;
    auto old = document(R"({"metadata":{"name":"i","namespace":"a","uid":"u1","finalizers":[]},"spec":{},
                            "status":{"deprovisionStatus":"Required"}})");
    auto object = old;
    object.at("metadata").as_object().erase("finalizers");
    old.at("metadata").at("finalizers").as_array().push_back(text(kCatalogFinalizer));
    if (deleting) old.at("metadata").as_object()["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    std::vector<std::string> warnings;
    auto context = world.context("serviceinstances", true, object, &old);
    context.warnings = &warnings;
    default_service_instance(context);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("ConfigMap kube-system/abandoned-u1"), std::string::npos) << warnings[0];
    EXPECT_EQ(warnings[0].find("remove the annotation") == std::string::npos, deleting) << warnings[0];
  }
}

TEST(CatalogFinalizer, WhatIsMalformedStaysForTheRulesOfMetadata) {
  CatalogWorld world;
  const auto old =
      R"({"metadata":{"name":"i","namespace":"a","uid":"u1","finalizers":["kubernetes-incubator/service-catalog"]},
                       "spec":{},"status":{"deprovisionStatus":"Required"}})";
  const auto list = completed(world, default_service_instance,
                              R"({"metadata":{"name":"i","namespace":"a","finalizers":"none"},"spec":{}})", old);
  EXPECT_EQ(json::write(list.at("metadata").at("finalizers")), R"("none")");
  const auto map = completed(world, default_service_instance,
                             R"({"metadata":{"name":"i","namespace":"a","annotations":"none"},"spec":{}})", old);
  EXPECT_EQ(json::write(map.at("metadata").at("annotations")), R"("none")");
}

}  // namespace
}  // namespace chandler::admission
