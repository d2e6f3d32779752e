#include "reconcilers/claim/class_keeper.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "reconcilers/catalog/conditions.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/claim/claim_reconciler.h"
#include "reconcilers/claim/kinds.h"
#include "reconcilers/claim/reasons.h"
#include "resolve/choose_default.h"
#include "resolve/claim_kinds.h"

namespace chandler::reconcilers::claims {
namespace {

using controller::Step;

client::Selection labelled(std::string_view label, std::string_view value) {
  client::Selection selection;
  selection.fields.emplace_back(std::string(client::kLabelField) + std::string(label), std::string(value));
  return selection;
}

std::vector<client::Object> claim_definitions(controller::View& view) {
  return view.list(kDefinitions, labelled(resolve::kClaimLabel, "true"));
}

// Looked at only when somebody wants the object gone: in between, what changes about its users is none of its business.
std::vector<std::string> users_of(const client::KindName& kind, const client::Object& object, controller::View& view) {
  std::vector<std::string> out;
  if (kind == kProviders) {
    client::Selection selection;
    selection.ns = object.ns();
    selection.fields.emplace_back("providerRef.name", object.name());
    for (const auto& user : view.list(kResourceClasses, selection))
      out.push_back(fmt::format("ResourceClass {}", user.name()));
    return out;
  }
  std::vector<client::KindName> kinds(std::begin(kBuiltInClaims), std::end(kBuiltInClaims));
  for (const auto& more : labelled_claim_kinds(claim_definitions(view))) kinds.push_back(more);
  for (const auto& claims : kinds) {
    for (const auto& user : view.list(claims, labelled(kClassUidLabel, object.uid()))) {
      out.push_back(fmt::format("{} {}/{}", text_at(user.value(), "kind"), user.ns(), user.name()));
    }
  }
  return out;
}

Step end(const client::KindName& kind, const client::Object& object, controller::View& view) {
  if (!has_finalizer(object, kInUseFinalizer)) return Step::done();
  const auto users = users_of(kind, object, view);
  Draft draft(kind, object);
  if (users.empty()) {
    draft.remove_finalizer(kInUseFinalizer);
    return Step::write(std::move(draft).update());
  }
  const auto message = fmt::format("Used by {}: it goes when they are gone.", resolve::list_names(users));
  const bool told = condition(status_of(object), kInUse) != nullptr;
  set_condition(draft.status(), kInUse, Truth::kTrue, reason::kUsed, message, view.now());
  if (!draft.changed()) return Step::done();
  auto step = Step::write(std::move(draft).update_status());
  if (!told) step.notes.push_back({true, std::string(reason::kUsed), message});
  return step;
}

std::set<std::string> known_claim_kinds(controller::View& view) {
  const auto& built_in = resolve::built_in_claim_kinds();
  std::set<std::string> out(built_in.begin(), built_in.end());
  for (const auto& definition : claim_definitions(view)) {
    const auto& spec = spec_of(definition);
    out.insert(resolve::claim_kind_name(text_at(member(spec, "names"), "kind"), text_at(spec, "group")));
  }
  return out;
}

std::set<std::string> listed_before(const client::Object& object) {
  std::set<std::string> out;
  if (const auto* list = json::array_at(status_of(object), "defaultForClaimKinds")) {
    for (const auto& entry : *list) {
      if (entry.is_string()) out.emplace(json::view(entry.get_string()));
    }
  }
  return out;
}

// A default for a kind that is no claim, while another group has claims of that name: found by them under this label.
void label_misdirected(Draft& draft, const std::set<std::string>& words) {
  std::set<std::string> wanted;
  for (const auto& word : words) wanted.insert(std::string(kMisdirectedLabel) + word);
  auto& metadata = draft.metadata();
  std::vector<std::string> gone;
  if (const auto* labels = metadata.if_contains("labels"); labels != nullptr && labels->is_object()) {
    for (const auto& entry : labels->get_object()) {
      const std::string key(entry.key());
      if (key.starts_with(kMisdirectedLabel) && !wanted.contains(key)) gone.push_back(key);
    }
  }
  for (const auto& key : gone) object_in(metadata, "labels").erase(key);
  for (const auto& key : wanted) object_in(metadata, "labels")[key] = "true";
}

Step keep_class(const client::Object& object, controller::View& view) {
  const auto listed = resolve::defaults_by_list(object.value());
  auto marked = resolve::defaults_by_label(object.value());
  marked.insert(listed.begin(), listed.end());
  std::vector<std::string> unknown;
  std::set<std::string> misdirected;
  if (!marked.empty()) {
    const auto known = known_claim_kinds(view);
    const auto has_kind = [&](std::string_view word) {
      return std::any_of(known.begin(), known.end(),
                         [&](const std::string& kind) { return resolve::kind_in(kind) == word; });
    };
    for (const auto& kind : marked) {
      const auto word = resolve::kind_in(kind);
      if (known.contains(kind) || (resolve::group_in(kind).empty() && has_kind(word))) continue;
      unknown.push_back(kind);
      if (has_kind(word)) misdirected.emplace(word);
    }
  }
  Draft draft(kResourceClasses, object);
  if (!has_finalizer(object, kInUseFinalizer)) draft.add_finalizer(kInUseFinalizer);
  resolve::label_defaults(draft.root(), listed_before(object));
  label_misdirected(draft, misdirected);
  if (draft.changed()) return Step::write(std::move(draft).update());

  auto& status = draft.status();
  json::Array entries;
  for (const auto& kind : listed) entries.push_back(text(kind));
  if (entries.empty()) {
    status.erase("defaultForClaimKinds");
  } else {
    status["defaultForClaimKinds"] = std::move(entries);
  }
  Step step;
  if (!unknown.empty()) {
    const auto message = fmt::format(
        "No kind of claim here: {}. The class is no default for it; correct defaultForClaimKinds or the label, "
        "or install the kind.",
        resolve::list_names(unknown));
    const auto* before = condition(status_of(object), kDefaultsServed);
    if (before == nullptr || text_at(*before, "message") != message)
      step.notes.push_back({true, std::string(reason::kNoSuchClaimKind), message});
    set_condition(status, kDefaultsServed, Truth::kFalse, reason::kNoSuchClaimKind, message, view.now());
  } else if (condition(status_of(object), kDefaultsServed) != nullptr) {
    remove_condition(status, kDefaultsServed);
  }
  if (status.empty()) draft.root().erase("status");
  if (!draft.changed()) return Step::done();
  step.stages.emplace_back().push_back(std::move(draft).update_status());
  return step;
}

}  // namespace

std::vector<client::KindName> ClassKeeper::kinds() const { return {kResourceClasses, kProviders}; }

std::vector<client::KindName> ClassKeeper::reads() const {
  std::vector<client::KindName> out(std::begin(kBuiltInClaims), std::end(kBuiltInClaims));
  out.insert(out.end(), {kResourceClasses, kDefinitions});
  return out;
}

Step ClassKeeper::reconcile(const client::KindName& kind, const client::Object& object, controller::View& view) const {
  if (object.deleting()) return end(kind, object, view);
  if (kind == kResourceClasses) return keep_class(object, view);
  Draft draft(kind, object);
  if (!has_finalizer(object, kInUseFinalizer)) draft.add_finalizer(kInUseFinalizer);
  return draft.changed() ? Step::write(std::move(draft).update()) : Step::done();
}

}  // namespace chandler::reconcilers::claims
