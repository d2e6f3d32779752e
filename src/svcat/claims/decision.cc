#include "svcat/claims/decision.h"

#include <algorithm>

#include "base/text.h"
#include "meta/selector.h"
#include "resolve/claim_kinds.h"
#include "svcat/catalog/fields.h"

namespace chandler::svcat {
namespace {

using resolve::ClassMatch;
using resolve::ClassWish;

// How the class is a default for the kind; nullopt: not at all.
std::optional<ClassMatch> default_match(const json::Value& resource_class, const std::string& claim_kind) {
  auto marks = resolve::defaults_by_list(resource_class);
  marks.merge(resolve::defaults_by_label(resource_class));
  const auto word = resolve::kind_in(claim_kind);
  if (marks.contains(claim_kind)) return ClassMatch::kDefault;
  if (marks.contains(std::string(word))) return ClassMatch::kDefaultOfKind;
  const bool elsewhere =
      std::any_of(marks.begin(), marks.end(), [&](const std::string& mark) { return resolve::kind_in(mark) == word; });
  return elsewhere ? std::optional(ClassMatch::kDefaultElsewhere) : std::nullopt;
}

bool is_named(const json::Value& resource_class, const resolve::ClassRequest& request) {
  const auto ns = namespace_of(resource_class);
  return name_of(resource_class) == request.class_name &&
         (request.class_namespace.empty() || request.class_namespace == ns) && resolve::may_use_classes_of(request, ns);
}

// What the claim asks for. The class that the controller wrote into it does not count: it is asked what would be now.
void read_wish(const json::Value& claim, resolve::ClassRequest& request) {
  const auto source = text_at(claim, {"status", "resolution", "source"});
  const bool filled_in = source == "Selector" || source == "NamespaceDefault" || source == "OperatorDefault";
  for (const std::string_view field : {"classReference", "classRef"}) {
    const auto name = text_at(claim, {"spec", field, "name"});
    if (name.empty() || filled_in) continue;
    request.wish = ClassWish::kReference;
    request.class_name = name;
    request.class_namespace = text_at(claim, {"spec", field, "namespace"});
    return;
  }
  const auto* selector = json::find_path(claim, {"spec", "classSelector"});
  if (selector != nullptr && selector->is_object()) request.wish = ClassWish::kSelector;
}

}  // namespace

Result<std::vector<resolve::ClassOption>> options_among(const std::vector<json::Value>& classes,
                                                        const resolve::ClassRequest& request,
                                                        const json::Value& claim) {
  meta::LabelSelector selector;
  if (request.wish == ClassWish::kSelector) {
    const auto* given = json::find_path(claim, {"spec", "classSelector"});
    CH_TRY_LET(parsed, meta::LabelSelector::from_json(*given, "spec.classSelector"));
    selector = std::move(parsed);
  }
  std::vector<resolve::ClassOption> options;
  for (const auto& one : classes) {
    std::optional<ClassMatch> match;
    if (request.wish == ClassWish::kReference) {
      if (is_named(one, request)) match = ClassMatch::kNamed;
    } else if (request.wish == ClassWish::kSelector) {
      const auto* labels = json::find_path(one, {"metadata", "labels"});
      const auto label = [&](std::string_view key) {
        return labels == nullptr ? std::nullopt : json::string_at(*labels, key);
      };
      if (selector.matches(label)) match = ClassMatch::kSelected;
    } else {
      match = default_match(one, request.claim_kind);
    }
    if (!match) continue;
    resolve::ClassOption option;
    option.ns = namespace_of(one);
    option.name = name_of(one);
    option.match = *match;
    option.created = text_at(one, {"metadata", "creationTimestamp"});
    option.priority = parse_int64(annotation_of(one, resolve::kPriorityAnnotation)).value_or(0);
    option.deleting = is_deleting(one);
    option.engine_version = text_at(one, {"parameters", "engineVersion"});
    options.push_back(std::move(option));
  }
  return options;
}

Result<ClaimDecision> decide_for(Call& call, const ClaimKind& kind, const json::Value& claim,
                                 const std::vector<std::string>& class_namespaces, resolve::TieRule several) {
  CH_TRY_LET(catalog, call.catalog());
  ClaimDecision out;
  auto& request = out.request;
  request.claim_kind = kind.qualified();
  request.ns = namespace_of(claim);
  request.engine_version = text_at(claim, {"spec", "engineVersion"});
  request.class_namespaces = class_namespaces;
  request.several = several;
  read_wish(claim, request);
  std::vector<std::string> places{request.ns};
  for (const auto& ns : class_namespaces) {
    if (std::find(places.begin(), places.end(), ns) == places.end()) places.push_back(ns);
  }
  std::vector<json::Value> classes;
  for (const auto& ns : places) {
    auto listed = catalog->list(resource_classes_kind(), ns);
    if (!listed.ok() && listed.error().reason == Reason::kForbidden) {
      out.unseen.push_back(ns);
      continue;
    }
    if (!listed.ok()) return std::move(listed).error();
    for (auto& one : *listed) classes.push_back(std::move(one));
  }
  if (request.wish == ClassWish::kSelector) {
    CH_TRY_LET(selector, meta::LabelSelector::from_json(*json::find_path(claim, {"spec", "classSelector"}),
                                                        "spec.classSelector"));
    request.selector = selector.empty() ? "everything" : selector.str();
  }
  CH_TRY_LET(options, options_among(classes, request, claim));
  out.options = std::move(options);
  out.decision = resolve::decide_class(request, out.options);
  return out;
}

}  // namespace chandler::svcat
