#include "svcat/catalog/catalog.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "client/selection.h"
#include "svcat/catalog/fields.h"

namespace chandler::svcat {
namespace {

constexpr int kTries = 3;

std::string_view namespace_for(const Kind& kind, std::string_view ns) { return kind.namespaced ? ns : ""; }

// The kind itself is not served, as against an object that is not there.
bool is_kind_missing(const Error& error) { return is_not_found(error) && error.about.name.empty(); }

}  // namespace

bool is_not_found(const Error& error) { return error.reason == Reason::kNotFound; }

bool field_is(const json::Value& object, std::string_view path, std::string_view value) {
  const json::Value* at = &object;
  for (const auto name : split(path, '.')) {
    at = json::find(*at, name);
    if (at == nullptr) return value.empty() || value == "false";
  }
  if (at->is_bool()) return value == (at->get_bool() ? "true" : "false");
  return at->is_string() && json::view(at->get_string()) == value;
}

void set_kind(json::Value& object, const Kind& kind) {
  if (!object.is_object()) return;
  object.get_object()["apiVersion"] = kind.version;
  object.get_object()["kind"] = kind.name;
}

Error Catalog::explained(Error error, const Kind& kind) const {
  if (is_kind_missing(error) && !kind.resource.group.empty()) {
    error.message = fmt::format(
        "{} does not serve {}.{}; is it the right server? On a Kubernetes cluster install the kinds first: "
        "chandler crds | kubectl apply -f -",
        rest_.connection().server, kind.resource.plural, kind.resource.group);
  } else if (error.reason == Reason::kForbidden) {
    error.message += "; ask for the right with a Role or ClusterRole, or use another context";
  } else if (error.reason == Reason::kUnauthorized) {
    error.message += fmt::format("; the server {} does not accept your credentials: check the user of your kubeconfig",
                                 rest_.connection().server);
  } else if (error.message.starts_with("cannot connect to ")) {
    error.message +=
        error.message.find("certificate") == std::string::npos
            ? "; does it run, and is it the server you mean? Another one: --context NAME or --kubeconfig FILE"
            : "; mend the server's certificate, or the certificate-authority of your kubeconfig";
  }
  return error;
}

Result<json::Value> Catalog::get(const Kind& kind, std::string_view ns, std::string_view name) {
  auto object = rest_.get(kind.resource, namespace_for(kind, ns), name);
  if (!object.ok()) return explained(std::move(object).error(), kind);
  set_kind(*object, kind);
  return object;
}

Result<void> Catalog::pages(const Kind& kind, std::string_view ns, const FieldValues& fields,
                            const std::function<bool(Page page)>& each) {
  client::ListRequest request;
  request.ns = namespace_for(kind, ns);
  request.field_selector = client::field_selector(fields);
  const auto take = [&](json::Value list) {
    Page page;
    page.more = !text_at(list, {"metadata", "continue"}).empty();
    page.resource_version = text_at(list, {"metadata", "resourceVersion"});
    if (auto* items = json::find(list, "items"); items != nullptr && items->is_array()) {
      for (auto& item : items->get_array()) {
        const bool wanted = std::all_of(fields.begin(), fields.end(),
                                        [&](const auto& field) { return field_is(item, field.first, field.second); });
        if (!wanted) continue;
        set_kind(item, kind);
        page.items.push_back(std::move(item));
      }
    }
    return each(std::move(page));
  };
  auto done = rest_.list(kind.resource, request, take);
  if (!done.ok() && done.error().reason == Reason::kBadRequest && !request.field_selector.empty()) {
    request.field_selector.clear();  // a server that cannot select by these fields
    done = rest_.list(kind.resource, request, take);
  }
  if (done.ok()) return {};
  if (kind.optional && is_kind_missing(done.error())) {
    each(Page{});
    return {};
  }
  return explained(std::move(done).error(), kind);
}

Result<std::vector<json::Value>> Catalog::list(const Kind& kind, std::string_view ns, const FieldValues& fields,
                                               std::string_view label_selector) {
  std::vector<json::Value> all;
  if (!label_selector.empty()) {
    client::ListRequest request;
    request.ns = namespace_for(kind, ns);
    request.label_selector = label_selector;
    auto done = rest_.list(kind.resource, request, [&](json::Value list) {
      if (auto* items = json::find(list, "items"); items != nullptr && items->is_array()) {
        for (auto& item : items->get_array()) all.push_back(std::move(item));
      }
      return true;
    });
    if (!done.ok()) return explained(std::move(done).error(), kind);
    return all;
  }
  CH_TRY(pages(kind, ns, fields, [&](Page page) {
    for (auto& item : page.items) all.push_back(std::move(item));
    return true;
  }));
  return all;
}

Result<json::Value> Catalog::create(const Kind& kind, std::string_view ns, const json::Value& object) {
  auto created = rest_.create(kind.resource, namespace_for(kind, ns), object);
  if (!created.ok()) return explained(std::move(created).error(), kind);
  set_kind(*created, kind);
  return created;
}

Result<json::Value> Catalog::change(const Kind& kind, std::string_view ns, std::string_view name,
                                    const std::function<Result<void>(json::Object& object)>& edit) {
  for (int tries = 1;; ++tries) {
    CH_TRY_LET(object, get(kind, ns, name));
    CH_TRY(edit(object.as_object()));
    client::WriteOptions options;
    options.strict = false;  // what the server stored before may hold fields that it no longer knows
    auto updated = rest_.update(kind.resource, namespace_for(kind, ns), name, object, options);
    if (updated.ok()) {
      set_kind(*updated, kind);
      return updated;
    }
    if (updated.error().reason != Reason::kConflict || tries == kTries) {
      return explained(std::move(updated).error(), kind);
    }
  }
}

Result<json::Value> Catalog::patch(const Kind& kind, std::string_view ns, std::string_view name,
                                   const json::Value& patch) {
  auto patched = rest_.patch(kind.resource, namespace_for(kind, ns), name, patch);
  if (!patched.ok()) return explained(std::move(patched).error(), kind);
  set_kind(*patched, kind);
  return patched;
}

Result<void> Catalog::remove(const Kind& kind, std::string_view ns, std::string_view name) {
  auto removed = rest_.remove(kind.resource, namespace_for(kind, ns), name);
  if (!removed.ok()) return explained(std::move(removed).error(), kind);
  return {};
}

}  // namespace chandler::svcat
