#include "apiserver/housekeeping/claim_protection.h"

#include <algorithm>
#include <utility>

#include "apiserver/housekeeping/conditions.h"
#include "base/log.h"

namespace chandler::apiserver {
namespace {

constexpr std::string_view kClaims = "core/persistentvolumeclaims/";
constexpr std::string_view kPods = "core/pods/";
constexpr std::string_view kFinalizer = "kubernetes.io/pvc-protection";
constexpr auto kRetry = std::chrono::seconds(2);

template <typename Visit>
void each_claim(const json::Value& pod, Visit visit) {
  const auto* spec = json::find(pod, "spec");
  const auto* volumes = spec == nullptr ? nullptr : json::array_at(*spec, "volumes");
  for (size_t i = 0; volumes != nullptr && i < volumes->size(); ++i) {
    if (const auto* source = json::find((*volumes)[i], "persistentVolumeClaim"))
      visit(json::string_or(*source, "claimName"));
  }
}

bool has_ended(const json::Value& pod) {
  const auto* status = json::find(pod, "status");
  const auto phase = status == nullptr ? "" : json::string_or(*status, "phase");
  return phase == "Succeeded" || phase == "Failed";
}

}  // namespace

ClaimProtection::ClaimProtection(const registry::KindTable& kinds, registry::Cache& cache, registry::Objects& objects)
    : kinds_(kinds),
      cache_(cache),
      writer_(objects, "pvc-protection-controller"),
      duty_("pvc-protection", [this](const std::string& key) { return work(key); }) {
  cache_.listen([this](std::string_view prefix, const registry::Event& event) {
    if (prefix == kPods && event.before != nullptr) look_at_claims_of(*event.now);
    if (prefix == kClaims && event.now->deleting() && !event.deleted) {
      duty_.add(std::string(kClaims).append(event.now->ns()).append("/").append(event.now->name()));
    }
  });
}

void ClaimProtection::start() {
  if (const auto kind = kinds_.current()->find("", "persistentvolumeclaims")) {
    const auto page = cache_.list(*kind, registry::Query());
    for (const auto& document : page.ok() ? page->items : std::vector<registry::DocumentPtr>()) {
      if (document->deleting()) duty_.add(kind->key(document->ns(), document->name()));
    }
  }
  duty_.start();
}

void ClaimProtection::look_at_claims_of(const registry::Document& pod) {
  each_claim(pod.parse(), [&](const std::string& claim) {
    duty_.add(std::string(kClaims).append(pod.ns()).append("/").append(claim));
  });
}

bool ClaimProtection::in_use(std::string_view ns, std::string_view claim) const {
  const auto pods = kinds_.current()->find("", "pods");
  if (pods == nullptr) return false;
  const auto query =
      registry::Query::make(*pods, pods->storage_version(), ns, meta::LabelSelector(), meta::FieldSelector());
  if (!query.ok()) return true;
  const auto page = cache_.list(*pods, *query);
  if (!page.ok()) return true;
  return std::any_of(page->items.begin(), page->items.end(), [&](const registry::DocumentPtr& document) {
    const auto pod = document->parse();
    bool uses = false;
    each_claim(pod, [&](const std::string& name) { uses = uses || name == claim; });
    return uses && !has_ended(pod);
  });
}

std::optional<std::chrono::milliseconds> ClaimProtection::work(const std::string& key) {
  const auto document = cache_.get_key(key);
  const auto kind = kinds_.current()->find("", "persistentvolumeclaims");
  if (document == nullptr || kind == nullptr || !document->deleting()) return std::nullopt;
  if (in_use(document->ns(), document->name())) return std::nullopt;  // the Pod's end brings us back
  const auto released = writer_.update(kind, document->ns(), document->name(),
                                       [](const registry::Document& current) -> Result<json::Value> {
                                         json::Value changed = current.parse();
                                         drop_finalizer(changed, kFinalizer);
                                         return changed;
                                       });
  if (released.ok() || released.error().reason == Reason::kNotFound) return std::nullopt;
  log::warn("releasing a claim will be tried again", {{"key", key}, {"error", released.error().message}});
  return kRetry;
}

}  // namespace chandler::apiserver
