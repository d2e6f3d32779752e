// svcat: wiring of flags to commands, nothing else.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
  CLI::App app("svcat: the command line of the service catalog");
  app.require_subcommand(1);
  auto* version = app.add_subcommand("version", "Print the version of this program");
  CLI11_PARSE(app, argc, argv);
  if (version->parsed()) fmt::print("svcat {}\n", CHANDLER_VERSION);
  return 0;
}
