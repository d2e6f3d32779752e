// Reads kinds from their documents. The same function serves the embedded files and CustomResourceDefinitions created
// at run time, so there is one meaning of a CRD in this program.
#pragma once

#include <vector>

#include "registry/kind.h"

namespace chandler::registry {

// A Kind from a CustomResourceDefinition; `rules` is the KindRules document of our own files, null for others.
// Faults of schema, columns and selectable fields are added to `errors` with paths inside the CRD (null result).
// What can be said about a CRD without compiling anything (names, versions, approval) is the CRD admission's business.
std::shared_ptr<Kind> load_kind(const json::Value& crd, const json::Value* rules, meta::Fragments* fragments,
                                meta::FieldErrors& errors);

// How errors name the i-th of `count` versions: a single one is spoken of as the spec itself, as the API does.
meta::Path version_path(size_t count, size_t i);
// Where its schema stands; the single one goes by the name that it had before there were versions.
meta::Path schema_path(size_t count, size_t i);

// The names of a path such as .spec.replicas.
std::vector<std::string> path_names(std::string_view dotted);

// Groups that belong to Kubernetes; definitions in them need an annotation that says who approved them.
inline constexpr std::string_view kApprovedAnnotation = "api-approved.kubernetes.io";
bool is_protected_group(std::string_view group);

// A column, also used for the columns of KindRules. Null path and no computed name: an empty cell.
Column load_column(const json::Value& column, const meta::Path& path, meta::FieldErrors& errors);

// The fragments and kinds that are part of the program.
class EmbeddedKinds {
 public:
  static Result<std::unique_ptr<EmbeddedKinds>> load();

  const std::vector<KindPtr>& kinds() const { return kinds_; }
  meta::Fragments& fragments() { return *fragments_; }
  // The CRD document of a kind, as in its file ($refs and all); null when it is not ours. For OpenAPI and `chandler
  // crds`.
  static Result<json::Value> document(std::string_view group, std::string_view plural);
  // A fragment's schema document.
  static Result<json::Value> fragment(std::string_view name);

 private:
  std::map<std::string, json::Value, std::less<>> fragment_documents_;
  std::unique_ptr<meta::Fragments> fragments_;
  std::vector<KindPtr> kinds_;
};

}  // namespace chandler::registry
