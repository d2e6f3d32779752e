// What the status keeps of parameters with secrets in them: nobody can try out guesses with it, and neither an upgrade
// nor another key looks like a change of parameters.
#include "reconcilers/instance/instance_story_fixture.h"
#include "resolve/parameter_checksum.h"

namespace chandler::reconcilers::testing {
namespace {

const std::string kFrom = ", parametersFrom: [{secretKeyRef: {name: params, key: json}}]";
constexpr std::string_view kSecretParameters = R"({"password":"s3cret"})";

class ParameterChecksumStory : public InstanceStory {
 protected:
  ParameterChecksumStory() { apply_secret("params", "json", kSecretParameters); }

  static std::string digest() { return resolve::parameters_digest(json::parse(kSecretParameters).value()); }
  std::string checksum(std::string_view name = "mydb") const {
    return text_at(at(kInstances, name, "status.externalProperties"), "parameterChecksum");
  }
  void store_checksum(const client::KindName& kind, std::string_view name, std::string_view properties,
                      std::string_view value) {
    edit(kind, name, [&](json::Object& root) {
      object_in(object_in(root, "status"), properties)["parameterChecksum"] = text(value);
    });
  }
  // As an earlier version, or another service catalog, has left it.
  void make_old() { store_checksum(kInstances, "mydb", "externalProperties", digest()); }
  void lose_key() { settings.checksum_key = resolve::ChecksumKey("a new key after one that is lost"); }
  void change_policy() {
    edit_spec(kInstances, "mydb", [](json::Object& spec) { spec["deletionPolicy"] = "Cascade"; });
  }
};

TEST_F(ParameterChecksumStory, TwoInstancesWithTheSameSecretDoNotLookAlike) {
  for (const auto name : {"one", "two"}) {
    apply_instance("{" + kSmall + kFrom + "}", name);
    settle();
    ASSERT_EQ(conditions(kInstances, name), "Ready=True:ProvisionedSuccessfully");
    EXPECT_EQ(checksum(name).find(digest()), std::string::npos);
  }
  EXPECT_EQ(checksum("one").size(), checksum("two").size());
  EXPECT_NE(checksum("one"), checksum("two"));
}

TEST_F(ParameterChecksumStory, AnUpgradeReplacesTheOldChecksumAndAsksNobody) {
  provision(kFrom);
  const auto sealed = checksum();
  make_old();
  crash();
  settle();
  EXPECT_EQ(checksum(), sealed);
  EXPECT_EQ(broker.take_lines(), Lines());
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  expect_quiet();
}

TEST_F(ParameterChecksumStory, AChangeOfTheSpecAtAnUpgradeIsComparedWithTheOldChecksum) {
  provision(kFrom);
  const auto sealed = checksum();
  make_old();
  change_policy();
  crash();
  settle();
  EXPECT_EQ(broker.take_lines(), Lines()) << "the broker need not hear of it";
  EXPECT_EQ(checksum(), sealed);
  EXPECT_EQ(instance("status.reconciledGeneration"), instance("metadata.generation"));

  make_old();
  apply_secret("params", "json", R"({"password":"s3cret2"})");
  edit_spec(kInstances, "mydb", [](json::Object& spec) { spec["deletionPolicy"] = "Block"; });
  crash();
  settle();
  EXPECT_EQ(broker.take_lines(), Lines{"UpdateInstance id-mydb"}) << "these are other parameters";
  EXPECT_NE(checksum(), sealed);
}

TEST_F(ParameterChecksumStory, AnUpgradeWhileARequestIsOnTheWayRepeatsIt) {
  apply_instance("{" + kSmall + kFrom + "}");
  start();
  while (broker.calls.empty()) engine->turn();
  store_checksum(kInstances, "mydb", "inProgressProperties", digest());
  crash();
  settle();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(broker.take_lines(), (Lines{"ProvisionInstance id-mydb", "ProvisionInstance id-mydb"}));
  EXPECT_EQ(checksum().find(digest()), std::string::npos);
}

TEST_F(ParameterChecksumStory, UnconfirmedUpdatesAndBindingsAreReplacedToo) {
  provision();
  apply_binding("{instanceRef: {name: mydb}" + kFrom + "}");
  settle();
  ASSERT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
  broker.calls.clear();
  const auto sealed = binding("status.externalProperties.parameterChecksum");
  store_checksum(kBindings, "b", "externalProperties", digest());
  edit(kInstances, "mydb", [&](json::Object& root) {
    auto properties = member(root.at("status"), "externalProperties");
    properties.as_object()["parameterChecksum"] = text(digest());
    object_in(root, "status")["unconfirmedProperties"] = json::Array{std::move(properties)};
  });
  crash();
  settle();
  EXPECT_EQ(binding("status.externalProperties.parameterChecksum"), sealed);
  EXPECT_EQ(instance("status").find(digest()), std::string::npos);
  EXPECT_NE(instance("status").find("unconfirmedProperties"), std::string::npos);
  EXPECT_EQ(broker.take_lines(), Lines());
}

TEST_F(ParameterChecksumStory, ALostKeyIsNoChangeOfParameters) {
  provision(kFrom + ", parameters: {size: 1}");
  const auto before = checksum();
  lose_key();
  crash();
  settle();
  EXPECT_EQ(broker.take_lines(), Lines());
  change_policy();
  settle();
  EXPECT_EQ(broker.take_lines(), Lines());
  EXPECT_NE(checksum(), before);
  EXPECT_FALSE(resolve::same_key(checksum(), before)) << "from here on changes are noticed again";
  apply_secret("params", "json", R"({"password":"s3cret2"})");
  edit_spec(kInstances, "mydb", [](json::Object& spec) { spec["deletionPolicy"] = "Block"; });
  settle();
  EXPECT_EQ(broker.take_lines(), Lines{"UpdateInstance id-mydb"});
}

TEST_F(ParameterChecksumStory, AfterALostKeyWhatIsNotSecretIsStillCompared) {
  provision(kFrom + ", parameters: {size: 1}");
  lose_key();
  edit_spec(kInstances, "mydb", [](json::Object& spec) { object_in(spec, "parameters")["size"] = 2; });
  crash();
  settle();
  EXPECT_EQ(broker.take_lines(), Lines{"UpdateInstance id-mydb"});
}

TEST_F(ParameterChecksumStory, ARequestOnTheWayOutlivesALostKey) {
  apply_instance("{" + kSmall + kFrom + "}");
  start();
  while (broker.calls.empty()) engine->turn();
  lose_key();
  crash();
  settle();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(broker.take_lines(), (Lines{"ProvisionInstance id-mydb", "ProvisionInstance id-mydb"}));
}

}  // namespace
}  // namespace chandler::reconcilers::testing
