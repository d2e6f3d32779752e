#include "reconcilers/catalog/claimed_id.h"

#include "reconcilers/reconciler_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

std::string with_id(std::string_view id) {
  return fmt::format(
      "{{clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small, externalID: '{}'}}", id);
}

const std::string kChosen = with_id("chosen");

class ClaimedId : public CatalogStory {
 protected:
  ClaimedId() {
    register_catalog();
    apply_instance(kChosen);
    finish();
  }
};

TEST_F(ClaimedId, IsFoundByAnIndex) {
  for (const auto& kind : {kInstances, kBindings}) {
    EXPECT_TRUE(::chandler::testing::is_selectable(kind, "spec.externalID.folded")) << kind.plural;
  }
  for (const auto field : {"data.instanceID.folded", "data.bindingID.folded"}) {
    EXPECT_TRUE(::chandler::testing::is_selectable(kConfigMaps, field)) << field;
  }
}

TEST_F(ClaimedId, HoldsASecondInstanceBackUntilTheFirstIsGone) {
  apply_instance(kChosen, "other");
  finish();
  EXPECT_EQ(conditions(kInstances, "other"), "Ready=False:ExternalIDInUse");
  EXPECT_EQ(message(kInstances, "other"),
            "spec.externalID \"chosen\" is used by \"mydb\" already; delete that one first, or create this one again "
            "with another ID.");
  expect_quiet();
  remove(kInstances, "mydb");
  finish();
  EXPECT_EQ(conditions(kInstances, "other"), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(broker.instances.size(), 1u);
}

TEST_F(ClaimedId, IsNotFreedByTheEndOfTheSecond) {
  apply_instance(kChosen, "other");
  finish();
  broker.calls.clear();
  remove(kInstances, "other");
  finish();
  EXPECT_EQ(conditions(kInstances, "other"), "gone");
  EXPECT_EQ(broker.take_lines(), Lines());
  EXPECT_EQ(broker.instances.size(), 1u);
}

TEST_F(ClaimedId, HoldsASecondBindingBack) {
  apply_binding("{instanceRef: {name: mydb}, externalID: chosen}", "b");
  finish();
  apply_binding("{instanceRef: {name: mydb}, externalID: chosen}", "c");
  finish();
  EXPECT_EQ(conditions(kBindings, "b"), "Ready=True:InjectedBindResult");
  EXPECT_EQ(conditions(kBindings, "c"), "Ready=False:ExternalIDInUse");
  remove(kBindings, "b");
  finish();
  EXPECT_EQ(conditions(kBindings, "c"), "Ready=True:InjectedBindResult");
}

// Some brokers, and the databases behind them, take IDs that differ in case for the same.
TEST_F(ClaimedId, IgnoresCase) {
  for (const std::string id : {"CHOSEN", "Chosen"}) {
    apply_instance(with_id(id), "other");
    finish();
    EXPECT_EQ(conditions(kInstances, "other"), "Ready=False:ExternalIDInUse") << id;
    EXPECT_EQ(broker.instances.size(), 1u) << id;
    remove(kInstances, "other");
    finish();
    EXPECT_EQ(conditions(kInstances, "other"), "gone") << id;
  }
  apply_instance(with_id("CHOSEN-2"), "other");
  finish();
  EXPECT_EQ(conditions(kInstances, "other"), "Ready=True:ProvisionedSuccessfully") << "that is another ID";
}

TEST_F(ClaimedId, IsFreedRegardlessOfCase) {
  apply_instance(with_id("CHOSEN"), "other");
  finish();
  EXPECT_EQ(conditions(kInstances, "other"), "Ready=False:ExternalIDInUse");
  remove(kInstances, "mydb");
  finish();
  EXPECT_EQ(conditions(kInstances, "other"), "Ready=True:ProvisionedSuccessfully") << "the change wakes it up";
}

TEST_F(ClaimedId, MayBeTheGeneratedOneOfAnother) {
  own_ids = true;
  apply_instance("{clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small}", "generated");
  finish();
  EXPECT_EQ(conditions(kInstances, "generated"), "Ready=True:ProvisionedSuccessfully");
  const std::string uid(get(kInstances, "generated").uid());
  for (const auto& id : {uid, "UID" + uid.substr(3)}) {
    apply_instance(with_id(id), "other");
    finish();
    EXPECT_EQ(conditions(kInstances, "other"), "Ready=False:ExternalIDInUse") << id;
    remove(kInstances, "other");
    finish();
  }
  EXPECT_EQ(broker.instances.size(), 2u);
}

TEST_F(ClaimedId, OfBindingsIgnoresCase) {
  apply_binding("{instanceRef: {name: mydb}, externalID: chosen}", "b");
  finish();
  apply_binding("{instanceRef: {name: mydb}, externalID: CHOSEN}", "c");
  finish();
  EXPECT_EQ(conditions(kBindings, "b"), "Ready=True:InjectedBindResult");
  EXPECT_EQ(conditions(kBindings, "c"), "Ready=False:ExternalIDInUse");
}

// What was abandoned is on record: it stays with the namespace that it belonged to.
class AbandonedId : public ClaimedId {
 protected:
  AbandonedId() { put_namespace("shop", "uid-shop"); }

  void put_namespace(std::string_view name, std::string_view uid) {
    objects.put(kNamespaces,
                fmt::format("{{apiVersion: v1, kind: Namespace, metadata: {{name: {}, uid: {}}}}}", name, uid));
  }
  void abandon(const client::KindName& kind, std::string_view name) {
    annotate(kind, name, resolve::kAbandonedByAnnotation, "olga");
    annotate(kind, name, kAbandonAnnotation, "true");
    remove(kind, name, "bob");
    finish();
    ASSERT_EQ(conditions(kind, name), "gone");
  }
  client::Object record() const {
    const auto records = objects.list(kConfigMaps, {});
    return records.size() == 1 ? records.front() : client::Object();
  }
  std::string in_record(std::string_view key) const { return text_at(member(record().value(), "data"), key); }
  // What becomes of an instance of another namespace with that ID.
  std::string claim(std::string_view id, std::string_view ns = "shop") {
    apply(kInstances, fmt::format("{{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ServiceInstance, metadata: "
                                  "{{name: other, namespace: {}}}, spec: {}}}",
                                  ns, with_id(id)));
    finish();
    return ready(kInstances, ns);
  }
  std::string ready(const client::KindName& kind, std::string_view ns) const {
    return condition_reason(status_of(get(kind, "other", ns)), kReady);
  }
};

TEST_F(AbandonedId, IsNotFreeForAnotherNamespace) {
  abandon(kInstances, "mydb");
  broker.calls.clear();
  for (const auto id : {"chosen", "CHOSEN"}) {
    EXPECT_EQ(claim(id), "ExternalIDInUse") << id;
    EXPECT_EQ(broker.take_lines(), Lines());
    objects.remove(kInstances, "shop", "other");
  }
  EXPECT_EQ(claim("another"), "ProvisionedSuccessfully");
}

TEST_F(AbandonedId, SaysWhatHelpsAndNotWhoseItWas) {
  abandon(kInstances, "mydb");
  claim("chosen");
  const auto* shown = condition(status_of(get(kInstances, "other", "shop")), kReady);
  ASSERT_NE(shown, nullptr);
  EXPECT_EQ(
      text_at(*shown, "message"),
      fmt::format("spec.externalID \"chosen\" was abandoned in another namespace, and the broker may still have what "
                  "it stands for; create this one again with another ID. An operator who deletes ConfigMap "
                  "kube-system/{} gives the ID free.",
                  record().name()));
  expect_quiet();
  objects.remove(kConfigMaps, "kube-system", record().name());
  finish();
  EXPECT_EQ(ready(kInstances, "shop"), "ProvisionedSuccessfully") << "the end of the record wakes it up";
}

TEST_F(AbandonedId, IsFreeForItsOwnNamespace) {
  abandon(kInstances, "mydb");
  EXPECT_EQ(claim("chosen", "dev"), "ProvisionedSuccessfully");
}

TEST_F(AbandonedId, ANamespaceThatWasMadeAnewIsAnotherOne) {
  abandon(kInstances, "mydb");
  EXPECT_EQ(in_record("namespaceUID"), "uid-dev");
  objects.remove(kNamespaces, "", "dev");
  put_namespace("dev", "uid-dev-2");
  EXPECT_EQ(claim("chosen", "dev"), "ExternalIDInUse");
}

TEST_F(AbandonedId, ARecordThatDoesNotTellTheUidOfItsNamespaceGoesByName) {
  abandon(kInstances, "mydb");
  edit(
      kConfigMaps, record().name(), [](json::Object& root) { root["data"].as_object().erase("namespaceUID"); },
      "kube-system");
  EXPECT_EQ(claim("chosen"), "ExternalIDInUse");
  objects.remove(kInstances, "shop", "other");
  EXPECT_EQ(claim("chosen", "dev"), "ProvisionedSuccessfully");
}

TEST_F(AbandonedId, MayBeAGeneratedOne) {
  own_ids = true;
  apply_instance("{clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small}", "generated");
  finish();
  const std::string uid(get(kInstances, "generated").uid());
  abandon(kInstances, "generated");
  EXPECT_EQ(claim(uid), "ExternalIDInUse") << "a tenant that knows the uid of another tenant's instance";
}

TEST_F(AbandonedId, OfABindingIsThatOfTheBindingAlone) {
  apply_binding("{instanceRef: {name: mydb}, externalID: chosen-binding}", "b");
  finish();
  abandon(kBindings, "b");
  broker.instances["chosen"].bindings.clear();  // the operator of the broker did
  remove(kInstances, "mydb");
  finish();
  EXPECT_EQ(claim("chosen"), "ProvisionedSuccessfully") << "the instance was not abandoned";
  apply(kBindings,
        "{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ServiceBinding, metadata: {name: other, namespace: shop}, "
        "spec: {instanceRef: {name: other}, externalID: CHOSEN-binding}}");
  finish();
  EXPECT_EQ(ready(kBindings, "shop"), "ExternalIDInUse");
}

TEST_F(AbandonedId, TheRecordNamesWhoAskedForIt) {
  abandon(kInstances, "mydb");
  EXPECT_EQ(in_record("user"), "olga");
  EXPECT_EQ(in_record("requester"), "bob");
}

TEST_F(AbandonedId, WhereAdmissionDoesNotTellTheRecordNamesNobodyElse) {
  annotate(kInstances, "mydb", kAbandonAnnotation, "true");
  remove(kInstances, "mydb", "bob");
  finish();
  EXPECT_EQ(json::find(member(record().value(), "data"), "user"), nullptr);
  EXPECT_EQ(in_record("requester"), "bob");
}

// Where no admission refuses such IDs.
TEST_F(ClaimedId, IsNotSentToABrokerWhenItHoldsCharactersThatUrlsReserve) {
  broker.calls.clear();
  apply_instance(with_id("a/../b"), "other");
  apply_binding("{instanceRef: {name: mydb}, externalID: ..}", "b");
  finish();
  EXPECT_EQ(conditions(kInstances, "other"), "Ready=False:InvalidExternalID");
  EXPECT_EQ(message(kInstances, "other"),
            "spec.externalID \"a/../b\" may contain only letters (A-Z, a-z), digits, '-', '.', '_' and '~'. Delete "
            "this object and create it again with another ID.");
  EXPECT_EQ(conditions(kBindings, "b"), "Ready=False:InvalidExternalID");
  EXPECT_TRUE(has_event("InvalidExternalID"));
  EXPECT_EQ(broker.take_lines(), Lines());
  expect_quiet();
  remove(kInstances, "other");
  remove(kBindings, "b");
  finish();
  EXPECT_EQ(conditions(kInstances, "other"), "gone");
  EXPECT_EQ(conditions(kBindings, "b"), "gone");
  EXPECT_EQ(broker.take_lines(), Lines());
}

// Made before such IDs were refused: they are changed and deleted as ever.
TEST_F(ClaimedId, ThatTheBrokerHasStaysInUseWhateverItHolds) {
  apply_binding("{instanceRef: {name: mydb}, externalID: fine}", "b");
  finish();
  edit_spec(kBindings, "b", [](json::Object& spec) { spec["externalID"] = "a b"; });
  finish();
  EXPECT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
  broker.calls.clear();
  remove(kBindings, "b");
  finish();
  EXPECT_EQ(binding_conditions(), "gone");
  EXPECT_EQ(broker.take_lines(), Lines{"Unbind chosen/fine"});

  auto entry = broker.instances.extract("chosen");
  entry.key() = "a b";
  broker.instances.insert(std::move(entry));
  edit_spec(kInstances, "mydb", [](json::Object& spec) {
    spec["externalID"] = "a b";
    spec["updateRequests"] = 1;
  });
  finish();
  EXPECT_EQ(conditions(), "Ready=True:InstanceUpdatedSuccessfully");
  remove(kInstances, "mydb");
  finish();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_TRUE(broker.instances.empty());
}

}  // namespace
}  // namespace chandler::reconcilers::testing
