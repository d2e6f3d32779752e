#include "svcat/arguments.h"

#include <gtest/gtest.h>

#include "svcat/commands.h"
#include "svcat/fake_server_fixture.h"
#include "svcat/help.h"

namespace chandler::svcat {
namespace {

using testing::shell_words;

TEST(Arguments, AreReadInAllSpellings) {
  const struct {
    const char* line;
    const char* flag;
    std::vector<std::string> values;
    const char* reason;
  } rows[] = {
      {"mydb --class c", "class", {"c"}, "value as the next word"},
      {"mydb --class=c", "class", {"c"}, "value behind ="},
      {"mydb -n dev", "namespace", {"dev"}, "letter and next word"},
      {"mydb -ndev", "namespace", {"dev"}, "letter and value in one word"},
      {"mydb -n=dev", "namespace", {"dev"}, "letter and ="},
      {"-n dev mydb", "namespace", {"dev"}, "flags may stand in front"},
      {"mydb --wait", "wait", {"true"}, "a switch"},
      {"mydb --wait=false", "wait", {"false"}, "a switch that is off"},
      {"mydb -p a=1 -p b=2", "param", {"a=1", "b=2"}, "repeatable"},
      {"mydb --class a --class b", "class", {"b"}, "the last one counts"},
      {"mydb --timeout -1", "timeout", {"-1"}, "a value may look like a flag"},
      {"mydb --params-json '[1]'", "params-json", {"[1]"}, "values are never split"},
  };
  for (const auto& row : rows) {
    const auto arguments = parse_arguments(provision(), shell_words(row.line));
    ASSERT_TRUE(arguments.ok()) << row.reason;
    EXPECT_EQ(arguments->words, std::vector<std::string>{"mydb"}) << row.reason;
    EXPECT_EQ(arguments->flags.at(row.flag), row.values) << row.reason;
  }
}

TEST(Arguments, AreRefusedWithAHint) {
  const struct {
    const char* line;
    const char* says;
  } rows[] = {
      {"", "provision needs NAME"},
      {"a b", "provision does not know what to do with \"b\""},
      {"a --clas c", "provision has no flag --clas; did you mean --class?"},
      {"a --class", "--class needs a value: --class NAME"},
      {"a --wait=maybe", "--wait is true or false, not \"maybe\""},
      {"a -z", "provision has no flag -z"},
  };
  for (const auto& row : rows) {
    const auto arguments = parse_arguments(provision(), shell_words(row.line));
    ASSERT_FALSE(arguments.ok()) << row.line;
    EXPECT_EQ(arguments.error().message, row.says);
    EXPECT_TRUE(is_usage_error(arguments.error()));
  }
}

TEST(Commands, HaveExamplesThatParse) {
  for (const auto& command : all_commands()) {
    ASSERT_FALSE(command.examples.empty()) << command.name();
    for (const auto example : command.examples) {
      auto words = shell_words(example.substr(0, example.find(" > ")));
      const size_t used = command.noun.empty() ? 1 : 2;
      ASSERT_GE(words.size(), used) << example;
      words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(used));
      const auto arguments = parse_arguments(command, words);
      EXPECT_TRUE(arguments.ok()) << example << ": " << (arguments.ok() ? "" : arguments.error().message);
    }
    EXPECT_FALSE(command.summary.empty()) << command.name();
    EXPECT_NE(help_of(command, "svcat").find("Examples:\n  svcat "), std::string::npos) << command.name();
  }
}

TEST(Commands, GiveEachFlagAndLetterOnce) {
  for (const auto& command : all_commands()) {
    std::set<std::string> seen;
    for (const auto* flags : {&command.flags, &global_flags()}) {
      for (const auto& flag : *flags) {
        EXPECT_TRUE(seen.insert("--" + std::string(flag.name)).second) << command.name() << " --" << flag.name;
        if (flag.letter != 0) {
          EXPECT_TRUE(seen.insert(std::string("-") + flag.letter).second) << command.name() << " -" << flag.letter;
        }
      }
    }
  }
}

}  // namespace
}  // namespace chandler::svcat
