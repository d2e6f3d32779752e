#include "reconcilers/claim/claim_view.h"

#include "base/text.h"
#include "resolve/claim_kinds.h"

namespace chandler::reconcilers::claims {
namespace {

ResourceRecord record_in(const json::Value& value) {
  ResourceRecord out;
  out.api_version = text_at(value, "apiVersion");
  out.kind = text_at(value, "kind");
  out.ns = text_at(value, "namespace");
  out.name = text_at(value, "name");
  out.uid = text_at(value, "uid");
  out.binding = text_at(value, "binding");
  out.is_static = true_at(value, "static");
  return out;
}

}  // namespace

std::string ClaimView::claim_kind() const { return resolve::claim_kind_name(kind_word(), kind_.group); }

ClassName ClaimView::reference() const {
  const auto& given = member(spec(), "classReference");
  const auto& used = given.is_object() ? given : member(spec(), "classRef");
  return {text_at(used, "namespace"), text_at(used, "name")};
}

std::string ClaimView::secret_name() const {
  auto given = text_at(member(spec(), "writeConnectionSecretToRef"), "name");
  return given.empty() ? name() : given;
}

ResourceRecord ClaimView::given_resource() const { return record_in(member(spec(), "resourceRef")); }

ResourceRecord ClaimView::resource() const { return record_in(member(status(), "resource")); }

ClassName ClaimView::resolved_class() const {
  const auto& chosen = member(resolution(), "class");
  return {text_at(chosen, "namespace"), text_at(chosen, "name")};
}

bool ClaimView::was_chosen() const {
  const auto source = text_at(resolution(), "source");
  return (source == "Selector" || source == "NamespaceDefault" || source == "OperatorDefault") &&
         resolved_class() == reference();
}

std::string ResourceClassView::reclaim_policy() const {
  auto given = text_at(object_.value(), "reclaimPolicy");
  return given.empty() ? "Delete" : given;
}

int64_t ResourceClassView::priority() const {
  return parse_int64(annotation_of(object_, resolve::kPriorityAnnotation)).value_or(0);
}

}  // namespace chandler::reconcilers::claims
