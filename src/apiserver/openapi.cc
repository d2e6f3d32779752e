#include "apiserver/openapi.h"

#include <utility>

#include <fmt/format.h>

#include "apiserver/openapi_console.h"
#include "apiserver/openapi_documents.h"
#include "auth/digest.h"
#include "base/embedded.h"
#include "base/text.h"
#include "json/writer.h"
#include "registry/kind_loader.h"

namespace chandler::apiserver {
namespace {

std::string digest_text(std::string_view bytes) { return hex_encode(auth::view(auth::sha256(bytes)).substr(0, 16)); }

// Stands for the program and everything under api/ that it brings along.
const std::string& program_digest() {
  static const std::string kDigest = [] {
    std::string all = CHANDLER_VERSION;
    for (const auto& file : api_files()) all.append(file.path).append(auth::view(auth::sha256(file.content)));
    return digest_text(all);
  }();
  return kDigest;
}

// Documents stay in memory; they should not carry what the string set aside for growing.
OpenApi::Text keep(std::string text) {
  text.shrink_to_fit();
  return std::make_shared<const std::string>(std::move(text));
}

std::string document_name(const registry::Kind& kind, const registry::Version& version) {
  return (kind.group.empty() ? "api/" : "apis/" + kind.group + "/") + version.name;
}

json::Value schema_of(const json::Value& definition, std::string_view version) {
  if (const auto* versions = json::find_path(definition, {"spec", "versions"}); versions && versions->is_array()) {
    for (const auto& entry : versions->get_array()) {
      const auto* schema = json::find_path(entry, {"schema", "openAPIV3Schema"});
      if (schema != nullptr && json::string_at(entry, "name") == version) return *schema;
    }
  }
  return json::Object{{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
}

}  // namespace

OpenApi::OpenApi(const registry::KindTable& kinds, const registry::Cache& cache) : kinds_(kinds), cache_(cache) {}

json::Value OpenApi::definition(const registry::Kinds& kinds, const registry::Kind& kind) const {
  if (kind.crd_uid.empty()) {
    auto document = registry::EmbeddedKinds::document(kind.group, kind.plural);
    return document.ok() ? std::move(document).value() : json::Value();
  }
  const auto definitions = kinds.find("apiextensions.k8s.io", "customresourcedefinitions");
  if (definitions == nullptr) return nullptr;
  const auto document = cache_.get(*definitions, "", kind.plural + "." + kind.group);
  return document == nullptr ? json::Value() : document->parse();
}

std::string OpenApi::hash(const registry::Kinds& kinds, const GroupVersion& group, Digests& known) const {
  std::string inputs = program_digest();
  for (const auto& kind : group.kinds) {
    inputs.append(" ").append(kind->plural);
    if (kind->crd_uid.empty()) continue;
    const auto [digest, is_new] = known.try_emplace(kind.get());
    if (is_new) {
      const auto document = definition(kinds, *kind);
      if (const auto* spec = json::find(document, "spec")) digest->second = digest_text(json::write(*spec));
    }
    inputs.append(digest->second);
  }
  return digest_text(inputs);
}

void OpenApi::refresh() {
  const auto now = kinds_.current();
  if (seen_ != nullptr && seen_->generation() == now->generation()) return;
  decltype(groups_) groups;
  for (const auto& kind : now->all()) {
    for (const auto& version : kind->versions) {
      if (!version.served) continue;
      auto& group = groups[document_name(*kind, version)];
      group.version = version.name;
      group.kinds.push_back(kind);
    }
  }
  Digests digests;
  for (auto& [name, group] : groups) {
    if (const auto old = groups_.find(name); old != groups_.end() && old->second.kinds == group.kinds) {
      group = std::move(old->second);
    } else {
      group.hash = hash(*now, group, digests);
    }
  }
  groups_ = std::move(groups);
  seen_ = now;
  v2_json_ = {};
  v2_protobuf_ = {};
}

json::Value OpenApi::v3_index() {
  MutexLock lock(mutex_);
  refresh();
  json::Object paths;
  for (const auto& [name, group] : groups_) {
    paths[name] = json::Object{{"serverRelativeURL", "/openapi/v3/" + name + "?hash=" + group.hash}};
  }
  paths[kConsoleDocument] =
      json::Object{{"serverRelativeURL", fmt::format("/openapi/v3/{}?hash={}", kConsoleDocument, program_digest())}};
  return json::Object{{"paths", std::move(paths)}};
}

void OpenApi::describe(const GroupVersion& group, Definitions& known, std::vector<DescribedKind>& out) const {
  for (const auto& kind : group.kinds) {
    const auto [found, is_new] = known.try_emplace(kind.get());
    if (is_new) found->second = definition(*seen_, *kind);
    out.push_back({kind.get(), kind->version(group.version), schema_of(found->second, group.version)});
  }
}

Result<OpenApi::Document> OpenApi::v3(std::string_view group_version) {
  if (group_version == kConsoleDocument) {
    static const Text kDocument = keep(json::write(console_openapi_v3()));
    return Document{kDocument, program_digest()};
  }
  MutexLock lock(mutex_);
  refresh();
  const auto found = groups_.find(group_version);
  if (found == groups_.end()) return not_found({"", "openapi", std::string(group_version), ""});
  auto& group = found->second;
  if (group.v3 == nullptr) {
    std::vector<DescribedKind> kinds;
    Definitions definitions;
    describe(group, definitions, kinds);
    CH_TRY_LET(document, openapi_v3(kinds));
    group.v3 = keep(json::write(document));
  }
  return Document{group.v3, group.hash};
}

Result<json::Value> OpenApi::swagger() const {
  std::vector<DescribedKind> kinds;
  Definitions definitions;
  for (const auto& [name, group] : groups_) describe(group, definitions, kinds);
  return openapi_v2(kinds);
}

std::string OpenApi::v2_hash() const {
  std::string hashes;
  for (const auto& [name, group] : groups_) hashes += group.hash;
  return digest_text(hashes);
}

Result<OpenApi::Document> OpenApi::v2_json() {
  MutexLock lock(mutex_);
  refresh();
  if (v2_json_.json == nullptr) {
    CH_TRY_LET(document, swagger());
    v2_json_ = {keep(json::write(document)), v2_hash()};
  }
  return v2_json_;
}

Result<OpenApi::Document> OpenApi::v2_protobuf() {
  MutexLock lock(mutex_);
  refresh();
  if (v2_protobuf_.json == nullptr) {
    CH_TRY_LET(document, swagger());
    v2_protobuf_ = {keep(openapi_v2_protobuf(document)), v2_hash()};
  }
  return v2_protobuf_;
}

}  // namespace chandler::apiserver
