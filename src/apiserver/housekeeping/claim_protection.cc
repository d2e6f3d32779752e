#include "apiserver/housekeeping/claim_protection.h"

#include <utility>

#include "apiserver/housekeeping/conditions.h"
#include "base/log.h"

namespace chandler::apiserver {
namespace {

constexpr std::string_view kClaims = "core/persistentvolumeclaims/";
constexpr std::string_view kPods = "core/pods/";
constexpr std::string_view kFinalizer = "kubernetes.io/pvc-protection";
constexpr auto kRetry = std::chrono::seconds(2);

// Quickly, and true when in doubt.
bool has_claims(const registry::Document& pod) {
  return pod.bytes().find("\"persistentVolumeClaim\"") != std::string_view::npos;
}

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
      duty_("pvc-protection", [this](const std::string& ns) { return work(ns); }) {
  cache_.listen([this](std::string_view prefix, const registry::Event& event) {
    const bool may_release = prefix == kPods && event.before != nullptr && has_claims(*event.now);
    const bool is_claim = prefix == kClaims && event.now->deleting() && !event.deleted;
    if (may_release || is_claim) duty_.add(std::string(event.now->ns()));
  });
}

void ClaimProtection::start() {
  if (const auto kind = kinds_.current()->find("", "persistentvolumeclaims")) {
    const auto page = cache_.list(*kind, registry::Query());
    for (const auto& document : page.ok() ? page->items : std::vector<registry::DocumentPtr>()) {
      if (document->deleting()) duty_.add(std::string(document->ns()));
    }
  }
  duty_.start();
}

Result<std::vector<registry::DocumentPtr>> ClaimProtection::objects_of(const registry::Kind& kind,
                                                                       std::string_view ns) const {
  CH_TRY_LET(query,
             registry::Query::make(kind, kind.storage_version(), ns, meta::LabelSelector(), meta::FieldSelector()));
  CH_TRY_LET(page, cache_.list(kind, query));
  return std::move(page.items);
}

Result<ClaimProtection::Names> ClaimProtection::claims_in_use(std::string_view ns) const {
  Names out;
  const auto pods = kinds_.current()->find("", "pods");
  if (pods == nullptr) return out;
  CH_TRY_LET(documents, objects_of(*pods, ns));
  for (const auto& document : documents) {
    if (!has_claims(*document)) continue;
    const auto pod = document->parse();
    if (!has_ended(pod)) each_claim(pod, [&](std::string claim) { out.insert(std::move(claim)); });
  }
  return out;
}

std::optional<std::chrono::milliseconds> ClaimProtection::work(const std::string& ns) {
  const auto kind = kinds_.current()->find("", "persistentvolumeclaims");
  if (kind == nullptr) return std::nullopt;
  auto claims = objects_of(*kind, ns);
  if (!claims.ok()) return kRetry;
  std::erase_if(*claims, [](const registry::DocumentPtr& claim) { return !claim->deleting(); });
  if (claims->empty()) return std::nullopt;
  const auto in_use = claims_in_use(ns);
  if (!in_use.ok()) return kRetry;
  bool all_released = true;
  for (const auto& claim : *claims) {
    if (in_use->contains(claim->name())) continue;  // the Pod's end brings us back
    all_released = release(kind, *claim) && all_released;
  }
  return all_released ? std::nullopt : std::optional(kRetry);
}

bool ClaimProtection::release(const registry::KindPtr& kind, const registry::Document& claim) {
  const auto released =
      writer_.update(kind, claim.ns(), claim.name(), [](const registry::Document& current) -> Result<json::Value> {
        json::Value changed = current.parse();
        drop_finalizer(changed, kFinalizer);
        return changed;
      });
  if (released.ok() || released.error().reason == Reason::kNotFound) return true;
  log::warn("releasing a claim will be tried again",
            {{"namespace", claim.ns()}, {"name", claim.name()}, {"error", released.error().message}});
  return false;
}

}  // namespace chandler::apiserver
