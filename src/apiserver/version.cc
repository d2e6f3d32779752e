#include "apiserver/version.h"

#include <string>

namespace chandler::apiserver {

std::string_view program_version() { return CHANDLER_VERSION; }

json::Value version_document() {
  const std::string minor(kKubernetesMinor);
  json::Object out;
  out["major"] = "1";
  out["minor"] = minor;
  out["gitVersion"] = "v1." + minor + ".0+chandler." + std::string(program_version());
  out["gitCommit"] = "";
  out["gitTreeState"] = "clean";
  out["buildDate"] = "1970-01-01T00:00:00Z";
  out["goVersion"] = "none";
  out["compiler"] = __VERSION__;
  out["platform"] = "linux/amd64";
  return out;
}

}  // namespace chandler::apiserver
