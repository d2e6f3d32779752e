// The subcommands of `chandler`. Each returns the exit code.
#pragma once

#include <string>

#include "app/serve_options.h"

namespace chandler::app {

int serve(const ServeOptions& options);
int print_version();
// CustomResourceDefinitions of the kinds that a real cluster lacks; `group` empty: all of ours.
int print_crds(const std::string& group);

}  // namespace chandler::app
