#include "apiserver/housekeeping/crd_controller.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "apiserver/housekeeping/conditions.h"
#include "base/count_text.h"
#include "base/log.h"
#include "base/time_text.h"
#include "json/reader.h"
#include "registry/kind_loader.h"

namespace chandler::apiserver {
namespace {

constexpr std::string_view kGroup = "apiextensions.k8s.io";
constexpr std::string_view kPrefix = "apiextensions.k8s.io/customresourcedefinitions/";
constexpr std::string_view kCleanup = "customresourcecleanup.apiextensions.k8s.io";
constexpr auto kRetry = std::chrono::seconds(2);

bool is_true(const json::Value& crd, std::string_view type) {
  const auto* status = json::find(crd, "status");
  const auto* conditions = status == nullptr ? nullptr : json::array_at(*status, "conditions");
  return conditions != nullptr && std::any_of(conditions->begin(), conditions->end(), [&](const json::Value& c) {
           return json::string_or(c, "type") == type && json::string_or(c, "status") == "True";
         });
}

Result<std::shared_ptr<registry::Kind>> kind_of(const json::Value& crd) {
  meta::FieldErrors errors;
  auto kind = registry::load_kind(crd, nullptr, nullptr, errors);
  if (kind == nullptr) {
    return invalid({std::string(kGroup), "CustomResourceDefinition", json::string_or(crd.at("metadata"), "name"), ""},
                   errors.take());
  }
  return kind;
}

void set_stored_versions(json::Value& crd, const registry::Kind& kind) {
  auto& status = crd.as_object()["status"].as_object();
  auto& stored = status["storedVersions"];
  if (!stored.is_array()) stored.emplace_array();
  const auto& name = kind.storage_version().name;
  const auto& list = stored.get_array();
  const bool there = std::any_of(list.begin(), list.end(), [&](const json::Value& v) {
    return v.is_string() && json::view(v.get_string()) == name;
  });
  if (!there) stored.get_array().emplace_back(name);
}

}  // namespace

CrdController::CrdController(registry::KindTable& kinds, registry::Cache& cache, registry::Objects& objects,
                             const Clock& clock)
    : kinds_(kinds),
      cache_(cache),
      clock_(clock),
      writer_(objects, "crd-controller"),
      duty_("crds", [this](const std::string& name) { return work(name); }) {
  cache_.listen([this](std::string_view prefix, const registry::Event& event) {
    if (prefix == kPrefix) return duty_.add(std::string(event.now->name()));
    if (!event.deleted) return;
    // Perhaps the last object of a kind that is going: prefixes are <group>/<plural>/.
    const size_t slash = prefix.find('/');
    const auto group = prefix.substr(0, slash);
    const auto plural = prefix.substr(slash + 1, prefix.size() - slash - 2);
    const auto kind = kinds_.current()->find(group, plural);
    if (kind != nullptr && kind->terminating) duty_.add(fmt::format("{}.{}", plural, group));
  });
}

Result<void> CrdController::preload(storage::Store& store, registry::KindTable& kinds, registry::Cache& cache) {
  Result<void> outcome;
  std::vector<registry::KindPtr> established;
  CH_TRY(store.range(kPrefix, "", 0, [&](const storage::Entry& entry) {
    auto crd = json::parse(entry.value);
    if (!crd.ok() || !is_true(*crd, "Established")) return true;
    auto kind = kind_of(*crd);
    if (!kind.ok()) {
      log::error("a stored CRD cannot be served", {{"key", entry.key}, {"error", kind.error().message}});
      return true;
    }
    outcome = cache.serve(**kind);
    established.push_back(std::move(*kind));
    return outcome.ok();
  }));
  kinds.put_all(established);
  return outcome;
}

void CrdController::start() {
  if (const auto kind = crd_kind()) {
    const auto page = cache_.list(*kind, registry::Query());
    for (const auto& document : page.ok() ? page->items : std::vector<registry::DocumentPtr>()) {
      duty_.add(std::string(document->name()));
    }
  }
  duty_.start();
}

registry::KindPtr CrdController::crd_kind() const {
  return kinds_.current()->find(kGroup, "customresourcedefinitions");
}

Result<void> CrdController::serve(const registry::Document& document) {
  const auto crd = document.parse();
  CH_TRY_LET(kind, kind_of(crd));
  const auto conflict = kinds_.current()->name_conflict(*kind);
  const auto served = kinds_.current()->find(kind->group, kind->plural);
  const bool ours = served == nullptr || !served->crd_uid.empty();
  const bool accepted = conflict.empty() && ours;
  if (accepted) {
    refused_.erase(std::string(document.name()));
  } else {
    refused_.emplace(document.name());
  }
  const bool unchanged =
      served != nullptr && served->crd_uid == kind->crd_uid && served->crd_generation == kind->crd_generation;
  if (accepted && !unchanged) {
    CH_TRY(cache_.serve(*kind));
    kinds_.put(kind);
    if (served != nullptr) reconsider_refused(kind->group);  // it may have given names up
  }
  // Once served a kind stays so, with the names it has, whatever it would like to be called now.
  const bool established = accepted || (served != nullptr && served->crd_uid == kind->crd_uid);
  CH_TRY(writer_.update(crd_kind(), "", document.name(), [](const registry::Document& current) -> Result<json::Value> {
    json::Value changed = current.parse();
    auto& finalizers = changed.at("metadata").as_object()["finalizers"];
    if (!finalizers.is_array()) finalizers.emplace_array();
    const auto& list = finalizers.get_array();
    const bool there = std::any_of(list.begin(), list.end(), [](const json::Value& item) {
      return item.is_string() && json::view(item.get_string()) == kCleanup;
    });
    if (!there) finalizers.get_array().emplace_back(kCleanup);
    return changed;
  }));
  const auto now = rfc3339(clock_.now());
  std::vector<ConditionText> conditions = {
      {"NamesAccepted", accepted, accepted ? "NoConflicts" : "NameConflict",
       accepted ? "no conflicts found" : (conflict.empty() ? "the kind is built in" : conflict)},
      {"Established", established, established ? "InitialNamesAccepted" : "NotAccepted",
       established ? "the initial names have been accepted" : "not all names are accepted"}};
  if (registry::is_protected_group(kind->group)) {
    const auto* annotations = json::object_at(crd.at("metadata"), "annotations");
    const bool approved = annotations != nullptr && annotations->contains(registry::kApprovedAnnotation);
    conditions.push_back(
        {"KubernetesAPIApprovalPolicyConformant", approved, approved ? "ApprovedAnnotation" : "MissingAnnotation",
         approved ? "the annotation says where it was approved" : "protected groups need the annotation"});
  }
  CH_TRY(writer_.update(
      crd_kind(), "", document.name(),
      [&](const registry::Document& current) -> Result<json::Value> {
        json::Value changed = current.parse();
        set_conditions(changed, conditions, now);
        if (accepted) {
          changed.as_object()["status"].as_object()["acceptedNames"] = crd.at("spec").at("names");
          set_stored_versions(changed, *kind);
        }
        return changed;
      },
      "status"));
  return {};
}

Result<bool> CrdController::clean_up(const registry::Document& document) {
  const auto crd = document.parse();
  const auto& spec = crd.at("spec");
  const auto group = json::string_or(spec, "group");
  const auto plural = json::string_or(spec.at("names"), "plural");
  const auto kind = kinds_.current()->find(group, plural);
  const bool ours = kind != nullptr && kind->crd_uid == document.uid();
  if (ours && !kind->terminating) {
    // Still served, so that what is left can be seen and finished, but nothing new is taken.
    CH_TRY_LET(ending, kind_of(crd));
    ending->terminating = true;
    kinds_.put(std::move(ending));
  }
  if (ours) {
    auto page = cache_.list(*kind, registry::Query());
    for (const auto& object : page.ok() ? page->items : std::vector<registry::DocumentPtr>()) {
      if (object->deleting()) continue;
      auto removed = writer_.remove(kind, object->ns(), object->name());
      if (!removed.ok() && removed.error().reason != Reason::kNotFound) return fail(std::move(removed).error());
    }
    const size_t left = cache_.count(*kind);
    CH_TRY(writer_.update(
        crd_kind(), "", document.name(),
        [&](const registry::Document& current) -> Result<json::Value> {
          json::Value changed = current.parse();
          set_conditions(
              changed,
              {{"Terminating", true, left == 0 ? "InstanceDeletionCompleted" : "InstanceDeletionInProgress",
                left == 0 ? "removed all instances"
                          : counted(static_cast<int64_t>(left), "object") + " left, waiting for finalizers"}},
              rfc3339(clock_.now()));
          return changed;
        },
        "status"));
    if (left > 0) return false;
    kinds_.remove(group, plural);
    reconsider_refused(group);
  }
  CH_TRY(writer_.update(crd_kind(), "", document.name(), [](const registry::Document& current) -> Result<json::Value> {
    json::Value changed = current.parse();
    drop_finalizer(changed, kCleanup);
    return changed;
  }));
  return true;
}

void CrdController::reconsider_refused(std::string_view group) {
  for (const auto& name : refused_) {
    if (name.size() <= group.size() || !name.ends_with(group) || name[name.size() - group.size() - 1] != '.') continue;
    duty_.add(name);
  }
}

std::optional<std::chrono::milliseconds> CrdController::work(const std::string& name) {
  const auto kind = crd_kind();
  const auto document = kind == nullptr ? nullptr : cache_.get(*kind, "", name);
  if (document == nullptr || document->deleting()) refused_.erase(name);
  if (document == nullptr) return std::nullopt;
  if (document->deleting()) {
    const auto cleaned = clean_up(*document);
    if (cleaned.ok() || cleaned.error().reason == Reason::kNotFound) return std::nullopt;
    log::warn("cleaning up after a CRD will be tried again", {{"crd", name}, {"error", cleaned.error().message}});
    return kRetry;
  }
  const auto served = serve(*document);
  if (served.ok() || served.error().reason == Reason::kNotFound) return std::nullopt;
  log::warn("serving a CRD will be tried again", {{"crd", name}, {"error", served.error().message}});
  return kRetry;
}

}  // namespace chandler::apiserver
