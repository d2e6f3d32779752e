#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time_text.h"
#include "meta/gvk.h"
#include "meta/names.h"

namespace chandler::meta {
namespace {

constexpr size_t kAnnotationsMax = 256 * 1024;

bool absent(const json::Value* value) { return value == nullptr || value->is_null(); }

std::string text_at(const json::Value& object, std::string_view key) { return json::string_or(object, key); }

// True when the member is absent or of the right type; reports it otherwise.
bool typed(const json::Value* value, boost::json::kind kind, std::string_view expected, const Path& path,
           FieldErrors& errors) {
  if (value->kind() == kind) return true;
  errors.type_invalid(path, *value, fmt::format("must be {}, got {}", expected, json::type_name(*value)));
  return false;
}

class MetadataRules {
 public:
  MetadataRules(const json::Value& metadata, const json::Value* old, const MetadataOptions& options,
                FieldErrors& errors)
      : metadata_(metadata), old_(old), options_(options), path_(options.path), errors_(errors) {}

  void check() {
    if (!typed(&metadata_, boost::json::kind::object, "an object", path_, errors_)) return;
    check_scalars();
    if (const auto* labels = present("labels")) validate_labels(*labels, path_.member("labels"), errors_);
    if (const auto* annotations = present("annotations")) check_annotations(*annotations);
    if (const auto* finalizers = present("finalizers")) check_finalizers(*finalizers);
    if (const auto* owners = present("ownerReferences")) check_owners(*owners);
    if (old_ != nullptr) check_immutable();
  }

 private:
  const json::Value* present(std::string_view name) const {
    const json::Value* value = json::find(metadata_, name);
    return absent(value) ? nullptr : value;
  }

  // As typed(), for a member. The path is made for a fault only: every write comes through here.
  bool typed_member(const json::Value* value, boost::json::kind kind, std::string_view expected,
                    std::string_view name) {
    return value->kind() == kind || typed(value, kind, expected, path_.member(name), errors_);
  }

  void check_scalars() {
    for (std::string_view name : {"name", "generateName", "namespace", "uid", "resourceVersion", "selfLink"}) {
      if (const auto* value = present(name)) {
        typed_member(value, boost::json::kind::string, "a string", name);
      }
    }
    for (std::string_view name : {"creationTimestamp", "deletionTimestamp"}) {
      const auto* value = present(name);
      if (value == nullptr || !typed_member(value, boost::json::kind::string, "a time", name)) continue;
      if (!parse_rfc3339(json::view(value->get_string()))) {
        errors_.invalid(path_.member(name), *value, "must be a time such as 2006-01-02T15:04:05Z");
      }
    }
    for (std::string_view name : {"generation", "deletionGracePeriodSeconds"}) {
      if (const auto* value = present(name)) {
        typed_member(value, boost::json::kind::int64, "an integer", name);
      }
    }
    if (const auto* value = present("managedFields")) {
      typed_member(value, boost::json::kind::array, "a list", "managedFields");
    }
  }

  void check_annotations(const json::Value& annotations) {
    const Path path = path_.member("annotations");
    if (!typed(&annotations, boost::json::kind::object, "a map of strings", path, errors_)) return;
    size_t total = 0;
    for (const auto& [key, value] : annotations.get_object()) {
      const std::string_view name(key.data(), key.size());
      if (auto fault = check_qualified_name(to_lower(name)); !fault.empty()) errors_.invalid(path, name, fault);
      total += name.size();
      if (value.is_string() || typed(&value, boost::json::kind::string, "a string", path.key(name), errors_)) {
        total += value.get_string().size();
      }
    }
    if (total > kAnnotationsMax) errors_.too_long(path, kAnnotationsMax);
  }

  void check_finalizers(const json::Value& finalizers) {
    const Path path = path_.member("finalizers");
    if (!typed(&finalizers, boost::json::kind::array, "a list of strings", path, errors_)) return;
    bool orphan = false;
    bool foreground = false;
    size_t index = 0;
    for (const auto& finalizer : finalizers.get_array()) {
      const Path here = path.index(index++);
      if (!typed(&finalizer, boost::json::kind::string, "a string", here, errors_)) continue;
      const std::string_view name = json::view(finalizer.get_string());
      orphan = orphan || name == "orphan";
      foreground = foreground || name == "foregroundDeletion";
      if (auto fault = check_qualified_name(name); !fault.empty()) errors_.invalid(path, name, fault);
      const bool of_system = name == "orphan" || name == "foregroundDeletion" || name == "kubernetes";
      if (options_.finalizers_need_domain && !of_system && name.find('/') == std::string_view::npos) {
        errors_.invalid(here, name, "must start with a domain of its owner, such as example.com/" + std::string(name));
      }
    }
    if (orphan && foreground) {
      errors_.invalid(path, finalizers, "orphan and foregroundDeletion exclude each other");
    }
  }

  void check_owners(const json::Value& owners) {
    const Path path = path_.member("ownerReferences");
    if (!typed(&owners, boost::json::kind::array, "a list of objects", path, errors_)) return;
    size_t index = 0;
    size_t controllers = 0;
    for (const auto& owner : owners.get_array()) {
      if (!typed(&owner, boost::json::kind::object, "an object", path.index(index++), errors_)) continue;
      check_owner(owner, path);
      if (json::bool_at(owner, "controller").value_or(false)) ++controllers;
    }
    if (controllers > 1) errors_.invalid(path, owners, "only one reference can have controller set to true");
  }

  // Fields are named without an index: that is how the API reports them.
  void check_owner(const json::Value& owner, const Path& path) {
    const std::string api_version = text_at(owner, "apiVersion");
    const std::string kind = text_at(owner, "kind");
    const std::string name = text_at(owner, "name");
    const std::string uid = text_at(owner, "uid");
    // A chart may create a class before its broker exists: "somebody will control this" without saying who yet.
    const bool awaits_adoption =
        json::bool_at(owner, "controller").value_or(false) && kind.empty() && name.empty() && uid.empty();
    if (!GroupVersion::parse(api_version).ok()) {
      errors_.invalid(path.member("apiVersion"), api_version, "must be a version or group/version");
    }
    if (awaits_adoption) return;
    if (api_version.empty()) errors_.invalid(path.member("apiVersion"), api_version, "must not be empty");
    if (kind.empty()) errors_.invalid(path.member("kind"), kind, "must not be empty");
    if (name.empty()) errors_.invalid(path.member("name"), name, "must not be empty");
    if (uid.empty()) errors_.invalid(path.member("uid"), uid, "must not be empty");
    if (api_version == "v1" && kind == "Event") errors_.invalid(path, owner, "an Event cannot own other objects");
  }

  void check_immutable() {
    for (std::string_view name :
         {"name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
      const json::Value* now = present(name);
      if (now == nullptr) continue;
      const json::Value* before = json::find(*old_, name);
      if (absent(before) ? (now->is_string() && now->get_string().empty()) : json::equal(*now, *before)) continue;
      errors_.invalid(path_.member(name), *now, "field is immutable");
    }
    if (!absent(json::find(*old_, "deletionTimestamp"))) check_no_new_finalizers();
  }

  void check_no_new_finalizers() {
    const json::Array* now = json::array_at(metadata_, "finalizers");
    if (now == nullptr) return;
    std::set<std::string_view> known;
    if (const json::Array* before = json::array_at(*old_, "finalizers")) {
      for (const auto& name : *before) {
        if (name.is_string()) known.insert(json::view(name.get_string()));
      }
    }
    std::string added;
    for (const auto& name : *now) {
      if (!name.is_string() || known.contains(json::view(name.get_string()))) continue;
      added.append(added.empty() ? "" : ", ").append(json::view(name.get_string()));
    }
    if (added.empty()) return;
    errors_.forbidden(path_.member("finalizers"),
                      "no new finalizers can be added while the object is being deleted, found new: " + added);
  }

  const json::Value& metadata_;
  const json::Value* old_;
  const MetadataOptions& options_;
  Path path_;
  FieldErrors& errors_;
};

}  // namespace

void validate_labels(const json::Value& labels, const Path& path, FieldErrors& errors) {
  if (!typed(&labels, boost::json::kind::object, "a map of strings", path, errors)) return;
  for (const auto& [key, value] : labels.get_object()) {
    const std::string_view name(key.data(), key.size());
    if (auto fault = check_qualified_name(name); !fault.empty()) errors.invalid(path, name, fault);
    if (!value.is_string() && !typed(&value, boost::json::kind::string, "a string", path.key(name), errors)) continue;
    const std::string_view text = json::view(value.get_string());
    if (auto fault = check_label_value(text); !fault.empty()) errors.invalid(path, text, fault);
  }
}

void validate_metadata(const json::Value& metadata, const json::Value* old, FieldErrors& errors,
                       const MetadataOptions& options) {
  MetadataRules(metadata, old, options, errors).check();
}

}  // namespace chandler::meta
