// `chandler controllers`: the families of controllers alone, against any Kubernetes API that has the kinds. Of
// several such processes one works, the others wait for its lease to run out.
#pragma once

#include <string>

#include "app/families.h"

namespace chandler::app {

struct ControllersOptions {
  std::string kubeconfig;
  std::string context;
  std::string controllers = "*";  // which families run, as in ServeOptions
  FamilyOptions families;
  bool leader_elect = true;
  std::string leader_election_namespace = "kube-system";
  std::string log_level = "info";
  std::string log_format = "text";
};

// Prints one line when it works, runs until SIGTERM or SIGINT or until the lease is lost, returns the exit code.
int run_controllers(const ControllersOptions& options);

}  // namespace chandler::app
