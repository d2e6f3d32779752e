#include "apiserver/housekeeping/namespace_cleaner.h"

#include <utility>

#include <fmt/format.h>

#include "apiserver/housekeeping/conditions.h"
#include "base/cut_text.h"
#include "base/log.h"
#include "base/text.h"
#include "base/time_text.h"

namespace chandler::apiserver {
namespace {

constexpr std::string_view kFinalizer = "kubernetes";
constexpr size_t kMostText = 4096;  // of a message: any number of objects may hold a namespace
constexpr auto kRetry = std::chrono::seconds(2);

std::string counted(const std::map<std::string, size_t>& counts, std::string_view noun) {
  std::vector<std::string> parts;
  parts.reserve(counts.size());
  for (const auto& [name, count] : counts) parts.push_back(fmt::format("{} {} {}", name, noun, count));
  return join(parts, ", ");
}

}  // namespace

NamespaceCleaner::NamespaceCleaner(const registry::KindTable& kinds, registry::Cache& cache, registry::Objects& objects,
                                   const Clock& clock)
    : kinds_(kinds),
      cache_(cache),
      clock_(clock),
      writer_(objects, "namespace-controller"),
      duty_("namespaces", [this](const std::string& name) { return work(name); }) {
  cache_.listen([this](std::string_view prefix, const registry::Event& event) {
    if (prefix == "core/namespaces/") {
      if (event.now->deleting() && !event.deleted) duty_.add(std::string(event.now->name()));
    } else if (event.deleted && !event.now->ns().empty()) {
      duty_.add(std::string(event.now->ns()));  // work() passes over namespaces that are not being deleted
    }
  });
}

void NamespaceCleaner::start() {
  if (const auto kind = kinds_.current()->find("", "namespaces")) {
    const auto page = cache_.list(*kind, registry::Query());
    for (const auto& document : page.ok() ? page->items : std::vector<registry::DocumentPtr>()) {
      if (document->deleting()) duty_.add(std::string(document->name()));
    }
  }
  duty_.start();
}

NamespaceCleaner::Remains NamespaceCleaner::empty(std::string_view ns) {
  Remains remains;
  const auto kinds = kinds_.current();
  for (const auto& kind : kinds->all()) {
    if (!kind->namespaced || !kind->stored || !kind->stored_as.empty()) continue;
    const auto& version = kind->storage_version();
    auto query = registry::Query::make(*kind, version, ns, meta::LabelSelector(), meta::FieldSelector());
    if (!query.ok()) continue;
    const auto page = cache_.list(*kind, *query);
    for (const auto& document : page.ok() ? page->items : std::vector<registry::DocumentPtr>()) {
      if (!document->deleting()) {
        registry::DeleteOptions options;
        options.uid = document->uid();
        auto removed = writer_.remove(kind, ns, document->name(), std::move(options));
        if (!removed.ok() && removed.error().reason != Reason::kNotFound) {
          remains.failures.push_back(removed.error().message);
        }
      }
    }
    const auto left = cache_.list(*kind, *query);
    for (const auto& document : left.ok() ? left->items : std::vector<registry::DocumentPtr>()) {
      ++remains.by_resource[meta::GroupResource{kind->group, kind->plural}.str()];
      const auto object = document->parse();
      const auto* finalizers = json::array_at(object.at("metadata"), "finalizers");
      for (size_t i = 0; finalizers != nullptr && i < finalizers->size(); ++i) {
        if ((*finalizers)[i].is_string())
          ++remains.by_finalizer[std::string(json::view((*finalizers)[i].get_string()))];
      }
    }
  }
  return remains;
}

Result<void> NamespaceCleaner::report(const registry::KindPtr& kind, const std::string& name, const Remains& remains) {
  const auto now = rfc3339(clock_.now());
  const bool failed = !remains.failures.empty();
  const bool content = !remains.by_resource.empty();
  const bool finalizers = !remains.by_finalizer.empty();
  std::vector<ConditionText> conditions = {
      {"NamespaceDeletionDiscoveryFailure", false, "ResourcesDiscovered", "All resources successfully discovered"},
      {"NamespaceDeletionGroupVersionParsingFailure", false, "ParsedGroupVersions",
       "All group versions are understood"},
      {"NamespaceDeletionContentFailure", failed, failed ? "ContentDeletionFailed" : "ContentDeleted",
       failed ? join(remains.failures, "; ") : "All content is deleted or waits for its finalizers"},
      {"NamespaceContentRemaining", content, content ? "SomeResourcesRemain" : "ContentRemoved",
       content ? "Some resources are remaining: " + counted(remains.by_resource, "has") : "All content is removed"},
      {"NamespaceFinalizersRemaining", finalizers, finalizers ? "SomeFinalizersRemain" : "ContentHasNoFinalizers",
       finalizers ? "Some content has finalizers remaining: " + counted(remains.by_finalizer, "in")
                  : "No content waits for a finalizer"},
  };
  for (auto& condition : conditions) condition.message = cut_text(condition.message, kMostText);
  CH_TRY(writer_.update(
      kind, "", name,
      [&](const registry::Document& current) -> Result<json::Value> {
        json::Value changed = current.parse();
        set_conditions(changed, conditions, now);
        return changed;
      },
      "status"));
  return {};
}

std::optional<std::chrono::milliseconds> NamespaceCleaner::work(const std::string& name) {
  const auto kind = kinds_.current()->find("", "namespaces");
  if (kind == nullptr) return std::nullopt;
  const auto document = cache_.get(*kind, "", name);
  if (document == nullptr || !document->deleting()) return std::nullopt;

  const auto remains = empty(name);
  const bool held = !remains.by_resource.empty() || !remains.failures.empty();
  if (auto reported = report(kind, name, remains); !reported.ok()) {
    return reported.error().reason == Reason::kNotFound ? std::nullopt : std::optional(kRetry);
  }
  if (held) return remains.failures.empty() ? std::nullopt : std::optional(kRetry);  // the last deletion brings us back
  auto finished = writer_.update(
      kind, "", name,
      [](const registry::Document& current) -> Result<json::Value> {
        json::Value changed = current.parse();
        auto& spec = changed.as_object()["spec"];
        if (!spec.is_object()) spec.emplace_object();
        json::Array rest;
        if (const auto* finalizers = json::array_at(spec, "finalizers")) {
          for (const auto& item : *finalizers) {
            if (!item.is_string() || json::view(item.get_string()) != kFinalizer) rest.push_back(item);
          }
        }
        if (rest.empty()) {
          spec.get_object().erase("finalizers");
        } else {
          spec.get_object()["finalizers"] = std::move(rest);
        }
        return changed;
      },
      "finalize");
  if (finished.ok() || finished.error().reason == Reason::kNotFound) return std::nullopt;
  log::warn("finishing a namespace will be tried again", {{"namespace", name}, {"error", finished.error().message}});
  return kRetry;
}

}  // namespace chandler::apiserver
