#include "svcat/usagekinds/round_trip.h"

#include <fmt/format.h>

#include "json/sorted_members.h"
#include "resolve/label_projection.h"
#include "svcat/catalog/fields.h"

namespace chandler::svcat {
namespace {

constexpr std::string_view kOwner = "svcat-test-usagekind";
constexpr std::string_view kLabel = "use-svcat-test";
constexpr std::string_view kValue = "probe";

// What differs from write to write, whatever is in the object.
json::Value comparable(json::Value object) {
  if (auto* metadata = json::find(object, "metadata"); metadata != nullptr && metadata->is_object()) {
    for (const std::string_view key : {"resourceVersion", "managedFields", "generation", "uid", "creationTimestamp"}) {
      metadata->get_object().erase(key);
    }
  }
  if (object.is_object()) object.get_object().erase("status");
  return object;
}

// The first field in which they differ; empty: none.
std::string difference(const json::Value& a, const json::Value& b, const std::string& path) {
  if (a.is_object() && b.is_object()) {
    for (const auto* pair : {&a, &b}) {
      for (const auto& member : pair->get_object()) {
        const auto key = json::key_of(member);
        const auto* left = json::find(a, key);
        const auto* right = json::find(b, key);
        auto here = fmt::format("{}{}{}", path, path.empty() ? "" : ".", key);
        if (left == nullptr || right == nullptr) return here;
        if (auto deeper = difference(*left, *right, here); !deeper.empty()) return deeper;
      }
    }
    return "";
  }
  return json::equal(a, b) ? "" : path;
}

bool has_probe(const json::Value& object, const resolve::LabelPath& path) {
  const auto* labels = resolve::labels_at(object, path);
  const auto* value = labels == nullptr ? nullptr : labels->if_contains(kLabel);
  return value != nullptr && value->is_string() && json::view(value->get_string()) == kValue;
}

}  // namespace

RoundTrip::RoundTrip(Catalog& catalog, const DiscoveredKind& kind, const resolve::LabelPath& path)
    : catalog_(catalog), kind_(kind), path_(path) {}

void RoundTrip::fail(std::string message) {
  injecting_ = {"", Outcome::kFailed, std::move(message)};
  removing_ = {"", Outcome::kNotTested, "there is nothing to remove"};
}

void RoundTrip::not_tested(const std::string& message) {
  injecting_ = {"", Outcome::kNotTested, message};
  removing_ = {"", Outcome::kNotTested, message};
}

void RoundTrip::travel(const json::Value& start, const std::string& on, const Send& send) {
  auto labelled = start;
  resolve::LabelClaim claim;
  claim.owner = kOwner;
  claim.path = path_;
  claim.labels = {{std::string(kLabel), std::string(kValue), ""}};
  if (const auto obstacle = resolve::project_labels(labelled, claim)) return fail(obstacle->message);
  auto stored = send(labelled);
  if (!stored.ok()) {
    return fail(fmt::format("the server refuses {} with a label at {}: {}", on, path_.str(), stored.error().message));
  }
  if (!has_probe(*stored, path_)) {
    return fail(
        fmt::format("the server drops what is written to {} of {}; correct spec.labelsPath, or the schema of {}",
                    path_.str(), on, kind_.qualified()));
  }
  injecting_ = {"", Outcome::kPassed, fmt::format("{} takes a label at {}", on, path_.str())};

  auto restored = std::move(stored).value();
  resolve::withdraw_labels(restored, kOwner, path_, {std::string(kLabel)});
  // It was never stored, so the server knows only the state from before.
  if (const auto* version = json::find_path(start, {"metadata", "resourceVersion"})) {
    restored.as_object()["metadata"].as_object()["resourceVersion"] = *version;
  }
  const auto back = send(restored);
  if (!back.ok()) {
    removing_ = {"", Outcome::kFailed,
                 fmt::format("the server refuses {} without the label: {}", on, back.error().message)};
    return;
  }
  const auto left = difference(comparable(*back), comparable(start), "");
  removing_ = left.empty() ? Check{"", Outcome::kPassed, fmt::format("{} is as it was before", on)}
                           : Check{"", Outcome::kFailed, fmt::format("{} differs in {} from what it was", on, left)};
}

Result<void> RoundTrip::try_existing(const std::string& ns, const std::string& name) {
  const auto kind = kind_.kind();
  auto object = catalog_.get(kind, ns, name);
  if (!object.ok()) {
    if (!is_not_found(object.error())) return std::move(object).error();
    not_tested(fmt::format("there is no {} {} in namespace {}", kind_.noun, name, ns));
    return {};
  }
  client::WriteOptions dry_run;
  dry_run.dry_run = true;
  dry_run.strict = false;  // what the server stored before may hold fields that it no longer knows
  travel(*object, fmt::format("{} {}/{}", kind_.noun, ns, name), [&](const json::Value& changed) {
    auto answer = catalog_.rest().update(kind.resource, ns, name, changed, dry_run);
    if (answer.ok()) set_kind(*answer, kind);
    return answer;
  });
  return {};
}

Result<void> RoundTrip::try_sample(const std::string& ns, json::Value sample, bool by_user) {
  const auto kind = kind_.kind();
  set_kind(sample, kind);
  auto& metadata = sample.as_object()["metadata"];
  if (!metadata.is_object()) metadata = json::Object();
  metadata.get_object()["namespace"] = ns;
  constexpr std::string_view kName = "svcat-test-usagekind";
  if (text_at(sample, {"metadata", "name"}).empty()) metadata.get_object()["name"] = kName;
  client::WriteOptions dry_run;
  dry_run.dry_run = true;
  const auto send = [&](const json::Value& object) {
    auto made = comparable(object);  // a new object has no uid and the like
    auto answer = catalog_.rest().create(kind.resource, ns, made, dry_run);
    if (answer.ok()) set_kind(*answer, kind);
    return answer;
  };
  auto plain = send(sample);
  if (!plain.ok() && plain.error().reason == Reason::kAlreadyExists) {
    metadata.get_object()["name"] = kName;  // a manifest of something that is there is a fine sample, too
    plain = send(sample);
  }
  if (!plain.ok()) {
    const auto& error = plain.error();
    const bool about_sample = error.reason == Reason::kInvalid || error.reason == Reason::kBadRequest ||
                              error.reason == Reason::kForbidden || error.reason == Reason::kNotFound ||
                              error.reason == Reason::kAlreadyExists || error.reason == Reason::kConflict;
    if (!about_sample) return error;
    if (by_user) {
      fail(fmt::format("the server refuses the sample as it is: {}", error.message));
    } else {
      not_tested(
          fmt::format("the server refuses a made-up {} ({}); name a real one with --resource, or bring one along "
                      "with --sample",
                      kind_.noun, error.message));
    }
    return {};
  }
  travel(*plain, fmt::format("a sample {}", kind_.noun), send);
  return {};
}

}  // namespace chandler::svcat
