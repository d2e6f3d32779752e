// Every command and flag that the older svcat had, so that scripts and fingers find what they know.
#include <gtest/gtest.h>

#include "base/text.h"
#include "svcat/arguments.h"
#include "svcat/command_words.h"
#include "svcat/commands.h"

namespace chandler::svcat {
namespace {

struct Upstream {
  std::string line;         // as it is typed
  std::string other_nouns;  // instead of the last word of the line
  std::string flags;        // name, or letter/name
  size_t arguments;         // at most
};

const std::string kWait = " wait timeout interval";
const std::string kParameters = " p/param params-json s/secret";

const Upstream kCommands[] = {
    {"get brokers", "broker brk", "o/output scope n/namespace all-namespaces", 1},
    {"get classes", "class cl", "k/kube-name b/broker o/output scope n/namespace all-namespaces", 1},
    {"get plans", "plan pl", "k/kube-name c/class o/output scope n/namespace all-namespaces", 1},
    {"get instances", "instance inst", "c/class p/plan o/output n/namespace all-namespaces", 1},
    {"get bindings", "binding bnd", "o/output n/namespace all-namespaces", 1},
    {"describe broker", "brokers brk", "scope n/namespace", 1},
    {"describe class", "classes cl", "k/kube-name scope n/namespace all-namespaces", 1},
    {"describe plan", "plans pl", "k/kube-name show-schemas scope n/namespace", 1},
    {"describe instance", "instances inst", "n/namespace", 1},
    {"describe binding", "bindings bnd", "show-secrets n/namespace", 1},
    {"register", "",
     "url basic-secret bearer-secret ca class-restrictions plan-restrictions relist-behavior relist-duration skip-tls "
     "scope n/namespace" +
         kWait,
     1},
    {"deregister", "", "scope n/namespace" + kWait, 1},
    {"sync broker", "", "scope n/namespace", 1},
    {"relist broker", "", "scope n/namespace", 1},
    {"create class", "", "f/from scope n/namespace", 1},
    {"provision", "", "class plan external-id k/kube-name n/namespace" + kParameters + kWait, 1},
    {"deprovision", "", "abandon y/yes n/namespace" + kWait, 1},
    {"bind", "", "name external-id secret-name n/namespace" + kParameters + kWait, 1},
    {"unbind", "", "name abandon y/yes n/namespace" + kWait, 1},
    {"touch instance", "", "n/namespace", 1},
    {"marketplace", "", "o/output n/namespace all-namespaces", 0},
    {"mp", "", "o/output n/namespace all-namespaces", 0},
    {"version", "", "c/client", 0},
    {"completion", "", "", 1},
    {"install plugin", "", "p/plugins-path", 0},
};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const auto word : split(text, ' ')) {
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

TEST(UpstreamCommands, AreAllThereWithTheirFlags) {
  const auto commands = all_commands();
  for (const auto& row : kCommands) {
    auto words = words_of(row.line);
    size_t used = 0;
    const auto* command = find_command(commands, in_order(commands, words), used);
    ASSERT_NE(command, nullptr) << row.line;
    EXPECT_EQ(used, words.size()) << row.line;
    EXPECT_GE(command->max_arguments, row.arguments) << row.line;
    for (const auto& flag : words_of(row.flags + " kubeconfig context v/v logtostderr")) {
      const auto slash = flag.find('/');
      const auto name = slash == std::string::npos ? flag : flag.substr(slash + 1);
      const auto* found = find_flag(*command, name);
      ASSERT_NE(found, nullptr) << row.line << " --" << name;
      if (slash != std::string::npos) {
        EXPECT_EQ(found->letter, flag[0]) << row.line << " --" << name;
      }
    }
    for (const auto& other : words_of(row.other_nouns)) {
      words.back() = other;
      EXPECT_EQ(find_command(commands, words, used), command) << row.line << ": " << other;
    }
  }
}

TEST(UpstreamCommands, HaveTheirDefaults) {
  const auto commands = all_commands();
  const struct {
    std::vector<std::string> command;
    const char* flag;
    const char* value;
  } rows[] = {
      {{"provision"}, "timeout", "5m"},
      {{"provision"}, "interval", "1s"},
      {{"get", "plans"}, "output", "table"},
      {{"describe", "plan"}, "show-schemas", "true"},
  };
  for (const auto& row : rows) {
    size_t used = 0;
    const auto* command = find_command(commands, row.command, used);
    ASSERT_NE(command, nullptr);
    EXPECT_EQ(find_flag(*command, row.flag)->fallback, row.value) << command->name() << " --" << row.flag;
  }
}

}  // namespace
}  // namespace chandler::svcat
