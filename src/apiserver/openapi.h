// OpenAPI documents, made when somebody asks for them and kept as text. A document is made anew only when a kind of its
// group version has changed. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "json/value.h"
#include "registry/cache.h"
#include "registry/kinds.h"

namespace chandler::apiserver {

struct DescribedKind;

class OpenApi {
 public:
  using Text = std::shared_ptr<const std::string>;

  // `cache` holds the CustomResourceDefinitions that users made; the others are part of the program.
  OpenApi(const registry::KindTable& kinds, const registry::Cache& cache);

  json::Value v3_index() CH_EXCLUDES(mutex_);  // /openapi/v3: paths with hashes
  struct Document {
    Text json;
    std::string hash;
  };
  // "api/v1", "apis/apps/v1", and "console/v1" for what the console asks. NotFound when there is none.
  Result<Document> v3(std::string_view group_version) CH_EXCLUDES(mutex_);
  Result<Document> v2_json() CH_EXCLUDES(mutex_);      // /openapi/v2, swagger
  Result<Document> v2_protobuf() CH_EXCLUDES(mutex_);  // the same as protobuf, which older kubectl insists on

 private:
  struct GroupVersion {
    std::string version;
    std::vector<registry::KindPtr> kinds;
    std::string hash;  // of what the document is made from, so that the index needs no document
    Text v3;           // null until asked for
  };

  // Brings groups_ in line with the kinds that are served now.
  void refresh() CH_REQUIRES(mutex_);
  // A kind's CustomResourceDefinition stands for all its versions: it is read once for all of them.
  using Definitions = std::map<const registry::Kind*, json::Value>;
  using Digests = std::map<const registry::Kind*, std::string>;
  std::string hash(const registry::Kinds& kinds, const GroupVersion& group, Digests& known) const;
  // The CustomResourceDefinition of a kind; null when it is gone already.
  json::Value definition(const registry::Kinds& kinds, const registry::Kind& kind) const;
  void describe(const GroupVersion& group, Definitions& known, std::vector<DescribedKind>& out) const
      CH_REQUIRES(mutex_);
  Result<json::Value> swagger() const CH_REQUIRES(mutex_);
  std::string v2_hash() const CH_REQUIRES(mutex_);

  const registry::KindTable& kinds_;
  const registry::Cache& cache_;
  Mutex mutex_;
  registry::KindsPtr seen_ CH_GUARDED_BY(mutex_);  // what groups_ is about
  std::map<std::string, GroupVersion, std::less<>> groups_ CH_GUARDED_BY(mutex_);
  Document v2_json_ CH_GUARDED_BY(mutex_);
  Document v2_protobuf_ CH_GUARDED_BY(mutex_);
};

}  // namespace chandler::apiserver
