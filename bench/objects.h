// The objects that the measurements write: of 1 KiB each, with a label or a field by which ten of them can be chosen.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "tool.h"

namespace chandler::bench {

constexpr size_t kObjectBytes = 1024;

struct Objects {
  std::string path;     // of the collection
  std::string pattern;  // of an object: $N its number, $G its group, $F what fills it up to kObjectBytes
  int64_t groups;       // objects are spread over so many

  // Appended, because the load shares the processors with what it measures: one buffer serves all requests.
  void append(std::string& out, int64_t number) const {
    static const std::string kFiller = filler(kObjectBytes);
    const fmt::format_int digits(number);
    const fmt::format_int group(number % groups);
    const size_t begin = out.size();
    size_t filled = std::string::npos;
    for (size_t at = 0; at < pattern.size();) {
      const size_t mark = std::min(pattern.find('$', at), pattern.size());
      out.append(pattern, at, mark - at);
      at = mark + 2;
      if (mark == pattern.size()) break;
      switch (pattern[mark + 1]) {
        case 'N':
          out.append(digits.data(), digits.size());
          break;
        case 'G':
          out.append(group.data(), group.size());
          break;
        default:
          filled = out.size();
      }
    }
    out.insert(filled, kFiller, 0, kObjectBytes - (out.size() - begin));
  }

  std::string make(int64_t number) const {
    std::string object;
    object.reserve(kObjectBytes);
    append(object, number);
    return object;
  }
};

inline Objects objects_of(std::string_view what, int64_t groups) {
  if (what == "configmaps") {
    return {"/api/v1/namespaces/default/configmaps",
            R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"item-$N",)"
            R"("labels":{"app":"bench","group":"g$G"}},"data":{"text":"$F"}})",
            groups};
  }
  if (what == "plans") {
    return {"/apis/servicecatalog.k8s.io/v1beta1/clusterserviceplans",
            R"({"apiVersion":"servicecatalog.k8s.io/v1beta1","kind":"ClusterServicePlan",)"
            R"("metadata":{"name":"plan-$N"},"spec":{"externalName":"plan-$N","externalID":"id-$N",)"
            R"("clusterServiceBrokerName":"broker","clusterServiceClassRef":{"name":"class-$G"},)"
            R"("free":true,"description":"$F"}})",
            groups};
  }
  fail(fmt::format("--create {}: configmaps or plans", what));
}

}  // namespace chandler::bench
