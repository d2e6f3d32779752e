// svcat install plugin
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/file.h"
#include "base/text.h"
#include "svcat/call.h"
#include "svcat/commands.h"

namespace chandler::svcat {
namespace {

bool is_in_path(Call& call, const std::string& folder) {
  const auto path = call.env().variable("PATH").value_or("");
  for (const auto piece : split(path, ':')) {
    if (piece == folder) return true;
  }
  return false;
}

Result<int> run_install_plugin(Call& call) {
  auto folder = call.flag("plugins-path");
  const auto& program = call.env().program_path;
  if (program.empty())
    return bad_request("the path of this program is not known; link it as kubectl-svcat into your PATH");
  if (folder.empty()) folder = call.env().variable("HOME").value_or("") + "/.local/bin";
  CH_TRY(make_directories(folder));
  const auto link = folder + "/kubectl-svcat";
  std::error_code fault;
  if (std::filesystem::is_symlink(link, fault)) std::filesystem::remove(link, fault);
  if (std::filesystem::exists(link, fault)) {
    return bad_request(fmt::format("{} exists and is no link; remove it first", link));
  }
  std::filesystem::create_symlink(program, link, fault);
  if (fault) return bad_request(fmt::format("{} cannot be made: {}", link, fault.message()));
  fmt::print(call.out(), "{} now leads to {}\n", link, program);
  if (is_in_path(call, folder)) {
    fmt::print(call.out(), "Try: kubectl svcat version\n");
  } else {
    call.warn(
        fmt::format("{} is not in your PATH, so kubectl does not find the plugin; add it: export PATH=\"$PATH:{}\"",
                    folder, folder));
  }
  return 0;
}

}  // namespace

Command install_plugin() {
  return {.verb = "install",
          .noun = "plugin",
          .noun_aliases = {"plugins"},
          .summary = "Make this program callable as kubectl svcat",
          .details = "Puts a link called kubectl-svcat into a folder of your PATH.",
          .examples = {"install plugin", "install plugin --plugins-path ~/bin"},
          .flags = {{"plugins-path", 'p', "FOLDER", "Where to put it; ~/.local/bin when left out", "", false,
                     Offer::kFiles}},
          .run = run_install_plugin};
}

}  // namespace chandler::svcat
