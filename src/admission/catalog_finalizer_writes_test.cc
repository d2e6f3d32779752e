// Writes that leave out the finalizer of an instance, through schema, engine and rules together.
#include <future>

#include <fmt/format.h>

#include "admission/catalog_writes_fixture.h"

namespace chandler::admission {
namespace {

// An instance that a broker has.
class CatalogFinalizerWrites : public CatalogWrites {
 protected:
  CatalogFinalizerWrites() {
    EXPECT_TRUE(apply("finalizers: [kubernetes-incubator/service-catalog]").ok());
    const auto has = [](json::Value& o) { o.as_object()["status"] = json::Object{{"deprovisionStatus", "Required"}}; };
    EXPECT_TRUE(update("serviceinstances", "mydb", has, "status").ok());
    user_ = {.name = "ann", .uid = "", .groups = {}, .extra = {}};
  }

  std::shared_ptr<registry::WriteRequest> request_for_mydb() {
    auto asked = request("serviceinstances", "dev", kCatalogGroup);
    asked->name = "mydb";
    asked->manager = "test";
    return asked;
  }
  Result<registry::WriteResult> patch(bool dry_run = false) {
    auto asked = request_for_mydb();
    asked->dry_run = dry_run;
    return objects_.update_and_wait(asked, [](const registry::Document& current) -> Result<json::Value> {
      auto object = current.parse();
      object.at("metadata").as_object().erase("finalizers");
      return object;
    });
  }
  Result<registry::WriteResult> put(std::string_view yaml) {
    auto body = json::parse_yaml(yaml).value();
    body.at("metadata").as_object()["resourceVersion"] = std::to_string(stored()->revision());
    std::promise<Result<registry::WriteResult>> promise;
    objects_.update(
        request_for_mydb(), [&](const registry::Document&) -> Result<json::Value> { return body; }, &body,
        [&](Result<registry::WriteResult> result) { promise.set_value(std::move(result)); });
    return promise.get_future().get();
  }
  Result<registry::WriteResult> apply(std::string_view metadata) {
    auto asked = request_for_mydb();
    auto application = std::make_shared<registry::Application>();
    application->config =
        json::parse_yaml(fmt::format("{{apiVersion: servicecatalog.k8s.io/v1beta1, kind: "
                                     "ServiceInstance, metadata: {{name: mydb, {}}}, spec: {{serviceType: mysql}}}}",
                                     metadata))
            .value();
    asked->application = std::move(application);
    asked->may_create = [] { return Result<void>(); };
    return objects_.update_and_wait(asked, nullptr);
  }
  registry::DocumentPtr stored() const { return lookup_.get(kCatalogGroup, "serviceinstances", "dev", "mydb"); }
  // The finalizers and annotations that are stored.
  std::string shown() const {
    const auto metadata = stored()->parse().at("metadata");
    const auto* annotations = json::find(metadata, "annotations");
    return json::write(metadata.at("finalizers")) + (annotations == nullptr ? "" : json::write(*annotations));
  }

  const std::string kept_ = R"(["kubernetes-incubator/service-catalog"])";
  const std::string abandoned_ =
      kept_ + R"({"servicecatalog.kubernetes.io/abandon":"true","servicecatalog.kubernetes.io/abandoned-by":"ann"})";
};

TEST_F(CatalogFinalizerWrites, AManifestThatReplacesTheObjectChangesNothing) {
  const auto before = stored()->revision();
  const auto replaced = put("{metadata: {name: mydb}, spec: {serviceType: mysql}}");
  ASSERT_TRUE(replaced.ok()) << replaced.error().message;
  EXPECT_TRUE(replaced->warnings.empty());
  EXPECT_EQ(stored()->revision(), before);
  EXPECT_EQ(shown(), kept_);
}

TEST_F(CatalogFinalizerWrites, APatchNeedsTheRightToAbandon) {
  for (const bool deleting : {false, true}) {
    SCOPED_TRACE(deleting);
    if (deleting) {
      ASSERT_TRUE(objects_.remove_and_wait(request_for_mydb(), {}).ok());
    }
    const auto refused = patch();
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().http(), 403);
    EXPECT_EQ(shown(), kept_);
  }
  user_.groups.emplace_back(auth::kMasters);
  const auto tried = patch(true);
  ASSERT_TRUE(tried.ok()) << tried.error().message;
  EXPECT_NE(tried->bytes.find(kAbandonAnnotation), std::string::npos);
  EXPECT_FALSE(tried->removed);
  EXPECT_EQ(shown(), kept_) << "a dry run stores nothing";
  const auto permitted = patch();
  ASSERT_TRUE(permitted.ok()) << permitted.error().message;
  EXPECT_EQ(permitted->warnings, tried->warnings);
  EXPECT_EQ(permitted->warnings.size(), 1u);
  EXPECT_EQ(shown(), abandoned_);

  // Until the record is there nobody removes it, and then whoever may update the object.
  user_.groups.clear();
  ASSERT_TRUE(patch().ok());
  EXPECT_EQ(shown(), abandoned_);
  ASSERT_TRUE(create("namespaces", "", "metadata: {name: kube-system}", "").ok());
  ASSERT_TRUE(
      create("configmaps", "kube-system", fmt::format("metadata: {{name: abandoned-{}}}", stored()->uid()), "").ok());
  ASSERT_TRUE(patch().ok());
  EXPECT_EQ(stored(), nullptr);
}

TEST_F(CatalogFinalizerWrites, ApplyingWithoutItIsARemoval) {
  const auto refused = apply("labels: {a: b}");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().http(), 403);
  user_.groups.emplace_back(auth::kMasters);
  ASSERT_TRUE(apply("labels: {a: b}").ok());
  EXPECT_EQ(shown(), abandoned_);
  const auto managed = std::string(stored()->managed_fields());
  EXPECT_EQ(managed.find("f:finalizers"), std::string::npos) << "nobody applies it any more: " << managed;
  EXPECT_EQ(managed.find(kAbandonAnnotation), std::string::npos) << "nor did anybody apply the annotation: " << managed;
}

// Drops the finalizers of what it reviews.
class DroppingReviewer final : public registry::Reviewer {
 public:
  DroppingReviewer() { set_idle(false); }
  bool wants(const registry::AdmissionRequest& request, Phase phase) const override {
    return request.operation == registry::Operation::kUpdate && phase == Phase::kMutate;
  }
  void review(std::shared_ptr<registry::Review> review, Phase, Done done) override {
    auto changed = *review->admission.object;
    changed.at("metadata").as_object().erase("finalizers");
    done(review->revise(std::move(changed)));
  }
};

TEST_F(CatalogFinalizerWrites, AWebhookCannotDropItEither) {
  DroppingReviewer reviewer;
  objects_.use(reviewer);
  const auto relabel = [](json::Value& o) { o.at("metadata").as_object()["labels"] = json::Object{{"a", "b"}}; };
  const auto refused = update("serviceinstances", "mydb", relabel);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().http(), 403);
  ASSERT_TRUE(put("{metadata: {name: mydb, labels: {a: b}}, spec: {serviceType: mysql}}").ok());
  EXPECT_EQ(shown(), kept_);
  ASSERT_TRUE(objects_.remove_and_wait(request_for_mydb(), {}).ok());
  EXPECT_EQ(shown(), kept_);
}

}  // namespace
}  // namespace chandler::admission
