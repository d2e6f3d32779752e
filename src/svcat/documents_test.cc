// The commands that documents show can be typed as they stand there: they exist, with these flags.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "support/source_path.h"
#include "svcat/arguments.h"
#include "svcat/command_words.h"
#include "svcat/commands.h"
#include "svcat/fake_server_fixture.h"

namespace chandler::svcat {
namespace {

using namespace testing;

constexpr std::string_view kProgram = "svcat ";

// The commands of one line of an example, without comments, pipes and what is done with the output.
std::vector<std::string> commands_in(std::string line) {
  if (const auto comment = line.find(" #"); comment != std::string::npos) line.resize(comment);
  std::vector<std::string> commands;
  for (size_t begin = 0; begin < line.size();) {
    const auto end =
        std::min({line.find(" && ", begin), line.find(" | ", begin), line.find(" > ", begin), line.size()});
    auto piece = trim(std::string_view(line).substr(begin, end - begin));
    if (piece.starts_with("bin/")) piece.remove_prefix(4);
    if (piece.starts_with(kProgram)) commands.emplace_back(piece.substr(kProgram.size()));
    begin = end + 3;
  }
  return commands;
}

// In the examples of a document, which are between lines of ```; lines that end with a backslash go on.
std::vector<std::string> commands_of(const std::filesystem::path& document) {
  std::vector<std::string> commands;
  std::ifstream file(document);
  bool is_example = false;
  std::string whole;
  for (std::string line; std::getline(file, line);) {
    if (trim(line).starts_with("```")) is_example = !is_example;
    if (!is_example) continue;
    whole += trim(line);
    if (whole.ends_with('\\')) {
      whole.pop_back();
      continue;
    }
    if (whole.starts_with("$ ")) whole.erase(0, 2);
    for (auto& command : commands_in(std::exchange(whole, ""))) commands.push_back(std::move(command));
  }
  return commands;
}

TEST(Documents, ShowCommandsThatCanBeTyped) {
  const auto root = chandler::testing::source_path("");
  const auto all = all_commands();
  size_t count = 0;
  for (const auto* folder : {"docs", "examples", "."}) {
    for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
      std::vector<std::filesystem::path> documents{entry.path()};
      if (entry.is_directory() && std::string_view(folder) != ".") {
        for (const auto& deeper : std::filesystem::directory_iterator(entry.path())) documents.push_back(deeper.path());
      }
      for (const auto& document : documents) {
        if (document.extension() != ".md") continue;
        for (const auto& line : commands_of(document)) {
          size_t used = 0;
          auto words = in_order(all, shell_words(line));
          const auto* command = find_command(all, words, used);
          ASSERT_NE(command, nullptr) << document << ": svcat " << line;
          words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(used));
          const auto arguments = parse_arguments(*command, words);
          EXPECT_TRUE(arguments.ok()) << document << ": svcat " << line << ": "
                                      << (arguments.ok() ? "" : arguments.error().message);
          ++count;
        }
      }
    }
  }
  EXPECT_GT(count, 40u) << "the documents were not found";
}

}  // namespace
}  // namespace chandler::svcat
