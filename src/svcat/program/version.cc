// svcat version
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "json/reader.h"
#include "svcat/call.h"
#include "svcat/catalog/fields.h"
#include "svcat/commands.h"

namespace chandler::svcat {
namespace {

Result<int> run_version(Call& call) {
  fmt::print(call.out(), "Client Version: v{}\n", call.env().version);
  if (call.is_set("client")) return 0;
  CH_TRY_LET(catalog, call.catalog());
  CH_TRY_LET(text, catalog->rest().get_text("/version"));
  CH_TRY_LET(server, json::parse(text));
  fmt::print(call.out(), "Server Version: {}\n", text_at(server, {"gitVersion"}));
  return 0;
}

}  // namespace

Command version() {
  return {.verb = "version",
          .summary = "Show the versions of this program and of the server",
          .examples = {"version", "version --client"},
          .flags = {{"client", 'c', "", "Do not ask the server"}},
          .run = run_version};
}

}  // namespace chandler::svcat
