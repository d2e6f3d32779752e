// From the text of a policy file to an AuditPolicy; strict, so that a misspelt field cannot silently log less (or more)
// than was meant.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "apiserver/audit/audit_policy.h"
#include "base/text.h"
#include "json/yaml.h"

namespace chandler::apiserver {
namespace {

constexpr size_t kMaxPolicyBytes = 1024 * 1024;
constexpr size_t kMaxPolicyDepth = 32;
constexpr size_t kMaxPolicyRules = 1000;
constexpr std::array kLevels = {AuditLevel::kNone, AuditLevel::kMetadata, AuditLevel::kRequest,
                                AuditLevel::kRequestResponse};
constexpr std::array kStages = {AuditStage::kRequestReceived, AuditStage::kResponseStarted,
                                AuditStage::kResponseComplete, AuditStage::kPanic};

}  // namespace

class AuditPolicy::Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  AuditPolicy read(const json::Value& document) {
    AuditPolicy policy;
    if (!document.is_object()) {
      fault("", "is no object; an audit policy has apiVersion, kind and rules");
      return policy;
    }
    if (json::string_or(document, "apiVersion") != "audit.k8s.io/v1") fault("apiVersion", "must be audit.k8s.io/v1");
    if (json::string_or(document, "kind") != "Policy") fault("kind", "must be Policy");
    refuse_others(document, "", {"apiVersion", "kind", "metadata", "rules", "omitStages", "omitManagedFields"});
    const unsigned omitted = stages(document, "");
    const bool without_managed = flag(document, "", false);
    const auto* rules = json::array_at(document, "rules");
    if (rules == nullptr || rules->empty()) {
      fault("rules", "must hold at least one rule; without any nothing would be logged");
      return policy;
    }
    if (rules->size() > kMaxPolicyRules) {
      fault("rules", fmt::format("has {} rules; {} are allowed", rules->size(), kMaxPolicyRules));
      return policy;
    }
    for (size_t i = 0; i < rules->size(); ++i) {
      policy.rules_.push_back(rule((*rules)[i], fmt::format("rules[{}]", i), omitted, without_managed));
    }
    return policy;
  }

  const std::vector<std::string>& faults() const { return faults_; }

 private:
  void fault(std::string_view field, std::string_view what) {
    faults_.push_back(field.empty() ? fmt::format("{} {}", file_, what)
                                    : fmt::format("{}: {}: {}", file_, field, what));
  }

  static std::string member(std::string_view path, std::string_view name) {
    return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
  }

  void refuse_others(const json::Value& object, std::string_view path, const std::vector<std::string_view>& known) {
    for (const auto& item : object.get_object()) {
      const std::string_view key(item.key());
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      const auto near = nearest(key, known);
      fault(member(path, key.substr(0, 64)),
            near.empty() ? "is no field of an audit policy" : fmt::format("is not known; did you mean {}?", near));
    }
  }

  std::vector<std::string> texts(const json::Value& object, std::string_view path, std::string_view name) {
    std::vector<std::string> out;
    const auto* value = json::find(object, name);
    if (value == nullptr || value->is_null()) return out;
    if (!value->is_array()) {
      fault(member(path, name), "must be a list of texts");
      return out;
    }
    for (const auto& item : value->get_array()) {
      if (item.is_string()) {
        out.emplace_back(json::view(item.get_string()));
      } else {
        fault(fmt::format("{}[{}]", member(path, name), &item - value->get_array().data()), "must be a text");
      }
    }
    return out;
  }

  unsigned stages(const json::Value& object, std::string_view path) {
    unsigned omitted = 0;
    for (const auto& text : texts(object, path, "omitStages")) {
      const auto* found = std::find_if(kStages.begin(), kStages.end(),
                                       [&](AuditStage stage) { return audit_stage_name(stage) == text; });
      if (found == kStages.end()) {
        fault(member(path, "omitStages"),
              fmt::format("{} is no stage; there are RequestReceived, ResponseStarted, ResponseComplete and Panic",
                          quoted(text.substr(0, 64))));
      } else {
        omitted |= static_cast<unsigned>(*found);
      }
    }
    return omitted;
  }

  bool flag(const json::Value& object, std::string_view path, bool otherwise) {
    const auto* value = json::find(object, "omitManagedFields");
    if (value == nullptr || value->is_null()) return otherwise;
    if (value->is_bool()) return value->get_bool();
    fault(member(path, "omitManagedFields"), "must be true or false");
    return otherwise;
  }

  AuditLevel level(const json::Value& object, std::string_view path) {
    const auto text = json::string_at(object, "level");
    const auto* found = std::find_if(kLevels.begin(), kLevels.end(), [&](AuditLevel one) {
      return text.has_value() && audit_level_name(one) == *text;
    });
    if (found != kLevels.end()) return *found;
    fault(member(path, "level"), "must be None, Metadata, Request or RequestResponse");
    return AuditLevel::kNone;
  }

  std::vector<Resources> resources(const json::Value& object, std::string_view path) {
    std::vector<Resources> out;
    const auto* value = json::find(object, "resources");
    if (value == nullptr || value->is_null()) return out;
    if (!value->is_array()) {
      fault(member(path, "resources"), "must be a list of {group, resources, resourceNames}");
      return out;
    }
    for (const auto& item : value->get_array()) {
      const auto here = fmt::format("{}.resources[{}]", path, &item - value->get_array().data());
      if (!item.is_object()) {
        fault(here, "must be an object with group and resources");
        continue;
      }
      refuse_others(item, here, {"group", "resources", "resourceNames"});
      Resources entry;
      const auto* group = json::find(item, "group");
      if (group != nullptr && !group->is_string())
        fault(member(here, "group"), "must be a text; \"\" is the core group");
      entry.group = json::string_or(item, "group");
      if (entry.group.find('/') != std::string::npos) fault(member(here, "group"), "is a group without a version");
      entry.resources = texts(item, here, "resources");
      entry.names = texts(item, here, "resourceNames");
      if (!entry.names.empty() && entry.resources.empty()) {
        fault(member(here, "resourceNames"), "need resources to which they belong");
      }
      out.push_back(std::move(entry));
    }
    return out;
  }

  Rule rule(const json::Value& value, const std::string& path, unsigned omitted, bool without_managed) {
    Rule out;
    if (!value.is_object()) {
      fault(path, "must be an object with a level");
      return out;
    }
    refuse_others(value, path,
                  {"level", "users", "userGroups", "verbs", "resources", "namespaces", "nonResourceURLs", "omitStages",
                   "omitManagedFields"});
    out.verdict.level = level(value, path);
    out.verdict.omitted_stages = omitted | stages(value, path);
    out.verdict.omit_managed_fields = flag(value, path, without_managed);
    out.users = texts(value, path, "users");
    out.user_groups = texts(value, path, "userGroups");
    out.verbs = texts(value, path, "verbs");
    out.resources = resources(value, path);
    out.namespaces = texts(value, path, "namespaces");
    out.urls = texts(value, path, "nonResourceURLs");
    if (!out.urls.empty() && (!out.resources.empty() || !out.namespaces.empty())) {
      fault(member(path, "nonResourceURLs"), "cannot stand beside resources or namespaces; make it a rule of its own");
    }
    for (const auto& url : out.urls) check_url(url, member(path, "nonResourceURLs"));
    return out;
  }

  void check_url(std::string_view url, const std::string& path) {
    if (url == "*") return;
    const size_t star = url.find('*');
    if (!url.starts_with("/")) fault(path, "a path begins with /, or is * for all");
    if (star != std::string_view::npos && star + 1 != url.size()) fault(path, "* may stand only at the end of a path");
  }

  const std::string_view file_;
  std::vector<std::string> faults_;
};

Result<AuditPolicy> AuditPolicy::parse(std::string_view text, std::string_view file) {
  if (text.size() > kMaxPolicyBytes) return bad_request(fmt::format("{} is too large for an audit policy", file));
  json::ReadReport report;
  auto document = json::parse_yaml(text, {.max_depth = kMaxPolicyDepth}, &report);
  if (!document.ok()) return bad_request(fmt::format("{}: {}", file, document.error().message));
  if (!report.duplicates.empty()) {
    return bad_request(fmt::format("{}: {} is there twice; keep one", file, report.duplicates.front()));
  }
  Reader reader(file);
  auto policy = reader.read(*document);
  if (!reader.faults().empty()) return bad_request(join(reader.faults(), "\n"));
  return policy;
}

}  // namespace chandler::apiserver
