#include "osb/call.h"

namespace chandler::osb {

std::string_view method_name(Method method) {
  switch (method) {
    case Method::kGetCatalog:
      return "GetCatalog";
    case Method::kProvision:
      return "ProvisionInstance";
    case Method::kUpdate:
      return "UpdateInstance";
    case Method::kDeprovision:
      return "DeprovisionInstance";
    case Method::kGetInstance:
      return "GetInstance";
    case Method::kPollInstance:
      return "PollLastOperation";
    case Method::kBind:
      return "Bind";
    case Method::kUnbind:
      return "Unbind";
    case Method::kGetBinding:
      return "GetBinding";
    case Method::kPollBinding:
      return "PollBindingLastOperation";
  }
  return "";
}

}  // namespace chandler::osb
