// What every namespace has: a ServiceAccount called default and the ConfigMap kube-root-ca.crt. Made when the namespace
// appears, made again when somebody deletes them.
#pragma once

#include <string>

#include "apiserver/housekeeping/duty.h"
#include "apiserver/housekeeping/system_writer.h"
#include "registry/cache.h"
#include "registry/kinds.h"

namespace chandler::apiserver {

class NamespaceContents {
 public:
  NamespaceContents(const registry::KindTable& kinds, registry::Cache& cache, registry::Objects& objects,
                    std::string ca_pem);
  void start();
  void stop() { duty_.stop(); }

 private:
  std::optional<std::chrono::milliseconds> work(const std::string& ns);

  const registry::KindTable& kinds_;
  registry::Cache& cache_;
  const std::string ca_pem_;
  SystemWriter writer_;
  Duty duty_;
};

}  // namespace chandler::apiserver
