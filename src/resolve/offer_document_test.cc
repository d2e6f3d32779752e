#include "resolve/offer_document.h"

#include <gtest/gtest.h>

#include "json/reader.h"

namespace chandler::resolve {
namespace {

json::Value offer_of(std::string_view text) { return json::parse(text).value(); }

TEST(OfferDocument, AManagedOneHasAControllerOfTheCatalogOrAsksForOne) {
  const struct {
    const char* reason;
    const char* metadata;
    bool expected;
  } rows[] = {
      {"nobody's", R"({})", false},
      {"a broker's",
       R"({"ownerReferences":[{"apiVersion":"servicecatalog.k8s.io/v1beta1","controller":true,"name":"b"}]})", true},
      {"made by a chart before its broker came: no kind, name or uid",
       R"({"ownerReferences":[{"apiVersion":"servicecatalog.k8s.io/v1beta1","controller":true}]})", true},
      {"owned, but not controlled", R"({"ownerReferences":[{"apiVersion":"servicecatalog.k8s.io/v1beta1"}]})", false},
      {"controlled by something else", R"({"ownerReferences":[{"apiVersion":"apps/v1","controller":true}]})", false},
      {"wants to be adopted", R"({"annotations":{"servicecatalog.kubernetes.io/adopt":"true"}})", true},
      {"does not want to", R"({"annotations":{"servicecatalog.kubernetes.io/adopt":"false"}})", false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(is_broker_managed(json::Object{{"metadata", offer_of(row.metadata)}}), row.expected) << row.reason;
  }
}

TEST(OfferDocument, APlanSaysAllAboutItself) {
  const auto plan = offer_of(R"({
    "metadata": {"name": "p1", "namespace": "dev", "deletionTimestamp": "2023-11-14T20:00:00Z",
                 "annotations": {"servicecatalog.kubernetes.io/is-default-plan": "true",
                                 "servicecatalog.kubernetes.io/is-suggested-plan": "true"}},
    "spec": {"externalName": "small", "externalID": "id-1", "serviceType": "mysql",
             "serviceClassRef": {"name": "own"}, "clusterServiceClassRef": {"name": "other"}},
    "status": {"acknowledgedDefaultFor": "mysql", "removedFromBrokerCatalog": true}})");
  const auto read = plan_candidate(plan, PlanScope::kNamespace);
  EXPECT_EQ(read.name, "p1");
  EXPECT_EQ(read.external_name, "small");
  EXPECT_EQ(read.external_id, "id-1");
  EXPECT_EQ(read.class_name, "own");
  EXPECT_EQ(read.service_type, "mysql");
  EXPECT_EQ(read.namespace_name, "dev");
  EXPECT_EQ(read.acknowledged_default_for, "mysql");
  EXPECT_TRUE(read.is_default && read.is_suggested && read.removed && read.deleting);
  EXPECT_FALSE(read.broker_managed);
  EXPECT_EQ(plan_candidate(plan, PlanScope::kCluster).class_name, "other");
}

TEST(OfferDocument, WhatIsAbsentOrOfAnotherTypeReadsAsEmpty) {
  for (const auto* text :
       {"null", "7", "{}", R"({"metadata":[],"spec":"x","status":{"removedFromBrokerCatalog":"yes"}})",
        R"({"metadata":{"annotations":"x","ownerReferences":{}}})"}) {
    const auto read = plan_candidate(offer_of(text), PlanScope::kCluster);
    EXPECT_EQ(read.name + read.external_name + read.service_type + read.class_name, "") << text;
    EXPECT_FALSE(read.is_default || read.is_suggested || read.removed || read.deleting || read.broker_managed) << text;
  }
}

}  // namespace
}  // namespace chandler::resolve
