#include "apiserver/console.h"

#include <algorithm>

#include <fmt/format.h>

#include "apiserver/list_options.h"
#include "base/text.h"
#include "client/served_kinds.h"

namespace chandler::apiserver {
namespace {

constexpr std::string_view kGroup = "servicecatalog.kyma-project.io";
constexpr std::string_view kPlural = "usagekinds";
constexpr std::string_view kResources = "/resources";
constexpr size_t kMaxPage = 500;
constexpr size_t kMaxLook = 20'000;  // objects that one request looks at

std::string text_at(const json::Value& object, std::initializer_list<std::string_view> path) {
  const auto* found = json::find_path(object, path);
  return found != nullptr && found->is_string() ? std::string(json::view(found->get_string())) : std::string();
}

Result<size_t> page_size(std::string_view text) {
  if (text.empty()) return kMaxPage;
  const auto given = parse_uint64(text);
  if (!given || *given == 0) return bad_request(fmt::format("limit: {} is no number of 1 or more", quoted(text)));
  return std::min<uint64_t>(*given, kMaxPage);
}

}  // namespace

std::optional<ConsolePath> parse_console_path(std::string_view path) {
  if (path == kConsoleKindsPath) return ConsolePath{};
  if (!path.starts_with(kConsoleKindsPath) || !path.ends_with(kResources)) return std::nullopt;
  auto name = path.substr(kConsoleKindsPath.size());
  if (name.size() <= kResources.size() + 1 || name.front() != '/') return std::nullopt;
  name = name.substr(1, name.size() - kResources.size() - 1);
  if (name.find('/') != std::string_view::npos) return std::nullopt;
  return ConsolePath{std::string(name)};
}

std::optional<auth::Attributes> console_attributes(const RequestInfo& info, const auth::User& user) {
  if (info.is_resource || (info.verb != "get" && info.verb != "head")) return std::nullopt;
  const auto path = parse_console_path(info.path);
  if (!path) return std::nullopt;
  auth::Attributes out;
  out.user = &user;
  out.verb = path->usage_kind.empty() ? "list" : "get";
  out.group = kGroup;
  out.resource = kPlural;
  out.name = path->usage_kind;
  return out;
}

Console::Console(registry::KindsPtr kinds, const registry::Cache& cache, std::shared_ptr<const auth::Policy> policy,
                 const auth::User& user)
    : kinds_(std::move(kinds)), cache_(cache), policy_(std::move(policy)), user_(user) {}

Result<registry::KindPtr> Console::usage_kind_kind() const {
  auto kind = kinds_->find(kGroup, kPlural);
  if (kind != nullptr) return kind;
  Error error = not_found({std::string(kGroup), std::string(kPlural), "", ""});
  error.message = fmt::format("this server does not serve {}.{}", kPlural, kGroup);
  return error;
}

std::optional<Error> Console::refusal_of(const std::optional<client::ServedKind>& served, const json::Value& usage_kind,
                                         std::string_view ns) const {
  const auto group = text_at(usage_kind, {"spec", "resource", "group"});
  const auto word = text_at(usage_kind, {"spec", "resource", "kind"});
  if (!served) {
    Error error = not_found({group, word, "", ""});
    error.message = fmt::format(
        "the server does not serve a kind {} in group {}; create its CustomResourceDefinition, "
        "or correct spec.resource of usage kind {}",
        quoted(word), quoted(group), text_at(usage_kind, {"metadata", "name"}));
    return error;
  }
  if (!served->namespaced) {
    return bad_request(fmt::format("{} are not in namespaces, so no binding can be used by one", served->name.plural));
  }
  auth::Attributes attributes;
  attributes.user = &user_;
  attributes.verb = "list";
  attributes.group = served->name.group;
  attributes.version = served->version;
  attributes.resource = served->name.plural;
  attributes.namespace_ = ns;
  if (policy_->authorize(attributes).allowed) return std::nullopt;
  return forbidden({attributes.group, attributes.resource, "", ""}, auth::denial(attributes));
}

Console::Target Console::target_of(const registry::Document& usage_kind, std::string_view ns) const {
  const auto object = usage_kind.parse();
  const auto group = text_at(object, {"spec", "resource", "group"});
  const auto version = text_at(object, {"spec", "resource", "version"});
  const auto word = text_at(object, {"spec", "resource", "kind"});
  const auto served = client::find_served(kinds_->all(), group, version, word);
  Target target;
  target.refusal = refusal_of(served, object, ns);
  if (!target.refusal) target.kind = kinds_->find(served->name.group, served->name.plural);
  auto& entry = target.entry;
  entry["name"] = usage_kind.name();
  auto shown = text_at(object, {"spec", "displayName"});
  entry["displayName"] = shown.empty() ? std::string(usage_kind.name()) : std::move(shown);
  entry["group"] = group;
  entry["version"] = served ? served->version : version;
  entry["kind"] = served ? served->kind : word;
  if (served) entry["resource"] = served->name.plural;
  entry["labelsPath"] = text_at(object, {"spec", "labelsPath"});
  if (usage_kind.deleting()) entry["deleting"] = true;
  entry["listable"] = !target.refusal;
  if (target.refusal) {
    entry["reason"] = reason_name(target.refusal->reason);
    entry["message"] = target.refusal->message;
  }
  return target;
}

Result<json::Value> Console::usage_kinds(std::string_view ns) const {
  CH_TRY_LET(kind, usage_kind_kind());
  CH_TRY_LET(page, cache_.list(*kind, {}));
  json::Array items;
  for (const auto& document : page.items) items.push_back(target_of(*document, ns).entry);
  return json::Value(json::Object{{"items", std::move(items)}});
}

Result<json::Value> Console::resources(const Wish& wish) const {
  CH_TRY_LET(limit, page_size(wish.limit));
  registry::ObjectKey start;
  ContinueToken token;
  std::string after;
  if (!wish.continue_token.empty()) {
    CH_TRY_LET(decoded, ContinueToken::decode(wish.continue_token));
    token = std::move(decoded);
    after = token.name + '\0';
    start = {token.ns, after};
  }
  CH_TRY_LET(usage_kinds, usage_kind_kind());
  const auto document = cache_.get(*usage_kinds, "", wish.usage_kind);
  if (document == nullptr) return not_found(usage_kinds->ref(wish.usage_kind));
  auto target = target_of(*document, wish.ns);
  if (target.refusal) return std::move(*target.refusal);

  CH_TRY_LET(query, registry::Query::make(*target.kind, target.kind->storage_version(), wish.ns, {}, {}));
  // All pages show one revision, as those of any list do.
  CH_TRY_LET(page, cache_.list(*target.kind, query, kMaxLook, start, std::max<registry::Revision>(token.revision, 0)));
  json::Array items;
  const registry::Document* last = nullptr;
  for (const auto& item : page.items) {
    if (items.size() == limit) break;
    last = item.get();
    if (item->owner_count() > 0) continue;
    items.push_back(json::Object{{"name", item->name()}, {"namespace", item->ns()}, {"uid", item->uid()}});
  }
  const bool more = last != nullptr && (page.more || last != page.items.back().get());
  json::Object answer{{"usageKind", std::move(target.entry)}, {"namespace", wish.ns}, {"items", std::move(items)}};
  if (more) {
    answer["continue"] = ContinueToken{page.revision, std::string(last->ns()), std::string(last->name())}.encode();
  }
  return json::Value(std::move(answer));
}

}  // namespace chandler::apiserver
