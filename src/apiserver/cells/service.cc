// The cells of a Service.
#include <fmt/format.h>

#include <set>

#include "apiserver/cells.h"
#include "apiserver/cells/reading.h"
#include "base/text.h"

namespace chandler::apiserver {
namespace {

using namespace cells;

json::Value external_ip(const json::Value& service, WallTime) {
  const auto type = text_at(service, {"spec", "type"});
  auto given = texts(array_at(service, {"spec", "externalIPs"}));
  if (type == "ClusterIP" || type == "NodePort") return json::Value(given.empty() ? "<none>" : join(given, ","));
  if (type == "ExternalName") return json::Value(text_at(service, {"spec", "externalName"}));
  if (type != "LoadBalancer") return "<unknown>";
  std::set<std::string> ingress;
  for (const auto& entry : array_at(service, {"status", "loadBalancer", "ingress"})) {
    const auto address = first_of(text_at(entry, {"ip"}), text_at(entry, {"hostname"}));
    if (!address.empty()) ingress.emplace(address);
  }
  std::vector<std::string> all(ingress.begin(), ingress.end());
  all.insert(all.end(), given.begin(), given.end());
  return json::Value(all.empty() ? "<pending>" : join(all, ","));
}

json::Value ports(const json::Value& service, WallTime) {
  std::vector<std::string> pieces;
  for (const auto& port : array_at(service, {"spec", "ports"})) {
    const auto node_port = int_at(port, {"nodePort"});
    pieces.push_back(fmt::format("{}{}/{}", int_at(port, {"port"}),
                                 node_port == 0 ? std::string() : fmt::format(":{}", node_port),
                                 text_at(port, {"protocol"})));
  }
  return json::Value(pieces.empty() ? "<none>" : join(pieces, ","));
}

json::Value selector(const json::Value& service, WallTime) {
  return json::Value(pairs(object_at(service, {"spec", "selector"})));
}

constexpr NamedCell kCells[] = {
    {"service-external-ip", external_ip},
    {"service-ports", ports},
    {"service-selector", selector},
};

}  // namespace

std::span<const NamedCell> service_cells() { return kCells; }

}  // namespace chandler::apiserver
