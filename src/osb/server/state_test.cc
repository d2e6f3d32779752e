#include "osb/server/state.h"

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "json/writer.h"
#include "osb/server/broker_fixture.h"

namespace chandler::osb::server {
namespace {

using ::testing::HasSubstr;

StateChange one_of_each() {
  StateChange change;
  change.put_instance.emplace();
  change.put_instance->spec.id = "i";
  change.put_instance->spec.parameters = json::Object{{"secret", "parameter-text"}};
  change.put_instance->phase = Phase::kUpdating;
  change.put_binding.emplace();
  change.put_binding->spec.instance_id = "i";
  change.put_binding->spec.id = "b";
  change.put_binding->phase = Phase::kReady;
  change.put_binding->result = json::Object{{"credentials", json::Object{{"password", "credential-text"}}}};
  change.put_operation.emplace();
  change.put_operation->id = "update-1";
  change.put_operation->work = Work::kUpdate;
  change.put_operation->instance_id = "i";
  change.put_operation->is_async = true;
  change.put_operation->target.emplace();
  change.put_operation->target->plan_id = "next";
  return change;
}

TEST(BrokerState, KeepsWhatItWasGiven) {
  const TempDirectory directory;
  ASSERT_TRUE(State::open(directory.path()).value().commit(one_of_each()).ok());
  auto state = State::open(directory.path()).value();
  const auto instance = state.instance("i").value();
  ASSERT_TRUE(instance);
  EXPECT_EQ(instance->phase, Phase::kUpdating);
  EXPECT_EQ(json::write(instance->spec.parameters), R"({"secret":"parameter-text"})");
  const auto bindings = state.bindings_of("i").value();
  ASSERT_EQ(bindings.size(), 1u);
  EXPECT_EQ(json::write(bindings[0].result), R"({"credentials":{"password":"credential-text"}})");
  const auto running = state.running("").value();
  ASSERT_EQ(running.size(), 1u);
  EXPECT_EQ(running[0].target->plan_id, "next");
  EXPECT_EQ(state.latest_operation("i", "").value()->id, "update-1");
  EXPECT_FALSE(state.latest_operation("i", "b").value());

  StateChange gone;
  gone.erase_instance = "i";
  gone.erase_operation = "update-1";
  ASSERT_TRUE(state.commit(gone).ok());
  EXPECT_FALSE(state.instance("i").value());
  EXPECT_FALSE(state.binding("i", "b").value());
  EXPECT_FALSE(state.operation("update-1").value());
}

TEST(BrokerState, HoldsNoSecretInPlainText) {
  const TempDirectory directory;
  auto state = State::open(directory.path()).value();
  ASSERT_TRUE(state.commit(one_of_each()).ok());
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    const auto content = read_file(entry.path().string()).value();
    EXPECT_THAT(content, ::testing::Not(HasSubstr("credential-text"))) << entry.path();
    EXPECT_THAT(content, ::testing::Not(HasSubstr("parameter-text"))) << entry.path();
  }
}

TEST(BrokerState, SaysWhenTheKeyIsAnother) {
  const TempDirectory directory;
  ASSERT_TRUE(State::open(directory.path()).value().commit(one_of_each()).ok());
  ASSERT_TRUE(write_file(directory.path() + "/broker.key", std::string(64, 'a'), 0600).ok());
  const auto read = State::open(directory.path()).value().instance("i");
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message, HasSubstr("key file"));
}

TEST(BrokerState, RefusesAKeyThatOthersCanRead) {
  const TempDirectory directory;
  ASSERT_TRUE(write_file(directory.path() + "/broker.key", std::string(64, 'a'), 0644).ok());
  const auto opened = State::open(directory.path());
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message, HasSubstr("chmod 600"));
}

TEST(Seal, OpensOnlyInItsPlace) {
  const TempDirectory directory;
  const auto seal = Seal::open(directory.path() + "/key", true).value();
  const auto sealed = seal.close("text", "here");
  EXPECT_EQ(seal.reveal(sealed, "here").value(), "text");
  EXPECT_FALSE(seal.reveal(sealed, "there").ok());
  EXPECT_FALSE(seal.reveal(sealed.substr(0, 20), "here").ok());
  EXPECT_NE(sealed, seal.close("text", "here")) << "never the same twice";
}

}  // namespace
}  // namespace chandler::osb::server
