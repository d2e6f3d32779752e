// Our kinds as CustomResourceDefinitions that a real cluster accepts without a warning: fragments expanded, what only
// our own server understands left out.
#pragma once

#include <string>

#include "base/result.h"

namespace chandler::app {

// YAML documents of one group, or of all groups that Kubernetes does not bring along.
Result<std::string> export_crds(const std::string& group);

}  // namespace chandler::app
