// The objects that the measurements write: of 1 KiB each, with a label or a field by which ten of them can be chosen.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "tool.h"

namespace chandler::bench {

constexpr size_t kObjectBytes = 1024;

struct Objects {
  std::string path;     // of the collection
  std::string pattern;  // of an object: {0} its number, {1} its group, {2} what fills it up
  int64_t groups;       // objects are spread over so many

  std::string make(int64_t number) const {
    const int64_t group = number % groups;
    const size_t bare = fmt::format(fmt::runtime(pattern), number, group, "").size();
    static const std::string kFiller = filler(kObjectBytes);
    const std::string_view rest = std::string_view(kFiller).substr(0, kObjectBytes - bare);
    return fmt::format(fmt::runtime(pattern), number, group, rest);
  }
};

inline Objects objects_of(std::string_view what, int64_t groups) {
  if (what == "configmaps") {
    return {"/api/v1/namespaces/default/configmaps",
            R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"item-{0}",)"
            R"("labels":{{"app":"bench","group":"g{1}"}}}},"data":{{"text":"{2}"}}}})",
            groups};
  }
  if (what == "plans") {
    return {"/apis/servicecatalog.k8s.io/v1beta1/clusterserviceplans",
            R"({{"apiVersion":"servicecatalog.k8s.io/v1beta1","kind":"ClusterServicePlan",)"
            R"("metadata":{{"name":"plan-{0}"}},"spec":{{"externalName":"plan-{0}","externalID":"id-{0}",)"
            R"("clusterServiceBrokerName":"broker","clusterServiceClassRef":{{"name":"class-{1}"}},)"
            R"("free":true,"description":"{2}"}}}})",
            groups};
  }
  fail(fmt::format("--create {}: configmaps or plans", what));
}

}  // namespace chandler::bench
