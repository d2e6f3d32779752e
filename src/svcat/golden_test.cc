// The complete output of every command: tests/golden/svcat/*.txt hold command lines as they are typed, each followed by
// what it prints. A line that begins with "! " came on the error stream, "? 1" is an exit code other than 0. Each runs
// against the same objects, afresh. Run with CHANDLER_UPDATE_GOLDEN=1 to write the files anew, then read the
// difference.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "support/source_path.h"
#include "svcat/catalog_objects_fixture.h"
#include "svcat/claims/claim_objects_fixture.h"
#include "svcat/command_words.h"
#include "svcat/commands.h"
#include "svcat/fake_server_fixture.h"
#include "svcat/storageclasses/storage_objects_fixture.h"
#include "svcat/usagekinds/usage_objects_fixture.h"

namespace chandler::svcat {
namespace {

using namespace testing;

constexpr std::string_view kPrompt = "$ svcat ";

std::filesystem::path golden_folder() { return chandler::testing::source_path("tests/golden/svcat"); }

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// TMP in a command line is an empty folder.
std::string outcome_of(const std::string& line) {
  const std::string folder = std::filesystem::temp_directory_path() / fmt::format("svcat-golden-{}", getpid());
  Shell shell;
  for (const auto yaml : {kBrokers, kClasses, kPlans, kMysql, kInstance, kBinding, kUsageKinds, kUsage, kWeb,
                          kResourceClasses, kClaims, kStorageClass, kTypos, kVolumeClaim}) {
    shell.server.put(yaml);
  }
  shell.server.texts = discovery_documents();
  const int code = shell.run(replaced(line, "TMP", folder));
  std::filesystem::remove_all(folder);
  std::string text = fmt::format("{}{}\n{}", kPrompt, line, shell.out);
  if (!shell.out.empty() && !shell.out.ends_with('\n')) text += '\n';
  for (const auto row : split(shell.err, '\n')) {
    if (!row.empty()) text += fmt::format("! {}\n", row);
  }
  if (code != 0) text += fmt::format("? {}\n", code);
  return replaced(text, folder, "TMP");
}

std::vector<std::string> lines_of(std::string_view golden) {
  std::vector<std::string> lines;
  for (const auto line : split(golden, '\n')) {
    if (line.starts_with(kPrompt)) lines.emplace_back(line.substr(kPrompt.size()));
  }
  return lines;
}

TEST(Golden, OutputIsAsItWas) {
  size_t count = 0;
  for (const auto& file : std::filesystem::directory_iterator(golden_folder())) {
    const auto expected = read(file.path());
    std::string got;
    for (const auto& line : lines_of(expected)) {
      got += (got.empty() ? "" : "\n") + outcome_of(line);
      ++count;
    }
    if (std::getenv("CHANDLER_UPDATE_GOLDEN") != nullptr) std::ofstream(file.path()) << got;
    EXPECT_EQ(got, read(file.path())) << file.path();
  }
  EXPECT_GT(count, 0u);
}

TEST(Golden, CoversEveryCommand) {
  const auto commands = all_commands();
  std::set<std::string> covered;
  for (const auto& file : std::filesystem::directory_iterator(golden_folder())) {
    for (const auto& line : lines_of(read(file.path()))) {
      size_t used = 0;
      const auto* command = find_command(commands, in_order(commands, shell_words(line)), used);
      if (command != nullptr) covered.insert(command->name());
    }
  }
  for (const auto& command : commands) {
    EXPECT_TRUE(covered.contains(command.name()))
        << "svcat " << command.name() << " has no line in tests/golden/svcat; add one and run with "
        << "CHANDLER_UPDATE_GOLDEN=1";
  }
}

}  // namespace
}  // namespace chandler::svcat
