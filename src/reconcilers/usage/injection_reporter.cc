#include "reconcilers/usage/injection_reporter.h"

#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "json/reader.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/usage/observations.h"
#include "reconcilers/usage/usage_names.h"

namespace chandler::reconcilers {
namespace {

constexpr size_t kMostMarks = 256;

// By preset: why it was not applied; "" when it was.
std::map<std::string, std::string> marks_of(const client::Object& pod) {
  std::map<std::string, std::string> out;
  const auto* annotations = json::object_at(member(pod.value(), "metadata"), "annotations");
  if (annotations == nullptr) return out;
  for (const auto& annotation : *annotations) {
    const std::string_view key = annotation.key();
    if (key.starts_with(kPresetAnnotation) && out.size() < kMostMarks) {
      out.emplace(key.substr(kPresetAnnotation.size()), "");
    }
  }
  const auto conflicts = json::parse(annotation_of(pod, kConflictAnnotation));
  if (!conflicts.ok() || !conflicts->is_object()) return out;  // the pod's owner may write there what he likes
  for (const auto& conflict : conflicts->get_object()) {
    if (out.size() >= kMostMarks) break;
    out[std::string(conflict.key())] = json::string_or(*conflicts, conflict.key(), "conflict");
  }
  return out;
}

}  // namespace

std::vector<client::KindName> InjectionReporter::kinds() const { return {kPods}; }

std::vector<client::KindName> InjectionReporter::reads() const { return {kPodPresets}; }

controller::Step InjectionReporter::reconcile(const client::KindName&, const client::Object& pod,
                                              controller::View& view) const {
  const auto made = text_at(member(pod.value(), "metadata"), "creationTimestamp");
  for (const auto& [name, why] : marks_of(pod)) {
    const auto preset = view.get(kPodPresets, pod.ns(), name);
    if (!preset) continue;
    const auto& last = member(status_of(preset), "lastPod");
    const auto last_made = text_at(last, "creationTimestamp");
    const auto last_name = text_at(last, "name");
    // Times of one form compare as texts.
    if (std::tie(last_made, last_name) > std::tuple(made, std::string(pod.name()))) continue;
    Draft draft(kPodPresets, preset);
    auto& status = draft.status();
    json::Object shown;
    shown["name"] = text(pod.name());
    shown["creationTimestamp"] = text(made);
    status["lastPod"] = std::move(shown);
    const auto message = why.empty() ? fmt::format("Pod {} was given it.", quoted(pod.name()))
                                     : fmt::format("Pod {} was not given it: {}", quoted(pod.name()), why);
    set_condition(status, usage::kInjected, why.empty() ? Truth::kTrue : Truth::kFalse,
                  why.empty() ? std::string_view("Injected") : "PodPresetConflict", message, view.now());
    if (!draft.changed()) continue;
    auto step = controller::Step::write(std::move(draft).update_status());
    if (!why.empty()) {
      step.notes.push_back(
          {true, "PodPresetConflict", fmt::format("PodPreset {} was not applied: {}", quoted(name), why)});
    }
    return step;
  }
  return controller::Step::done();
}

}  // namespace chandler::reconcilers
