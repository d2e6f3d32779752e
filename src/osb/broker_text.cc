#include "osb/broker_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/cut_text.h"
#include "base/text.h"
#include "osb/web_link.h"

namespace chandler::osb {
namespace {

constexpr size_t kMostWord = 100;
constexpr size_t kMostDescription = 1000;

size_t size_of(const Sensitive& sensitive) {
  size_t bytes = 0;
  for (const auto& value : sensitive.values) bytes += value.size();
  return bytes;
}

bool is_too_much(const Sensitive& sensitive) { return size_of(sensitive) > BrokerText::kMostSensitive; }

std::string missing_of(const Sensitive& sensitive) {
  if (!sensitive.missing.empty() || !is_too_much(sensitive)) return sensitive.missing;
  return fmt::format("it was given more than {} KiB of secret values", BrokerText::kMostSensitive / 1024);
}

// The words of the API mean something to us and hold nothing of anybody.
bool is_word_of_api(std::string_view error) {
  constexpr std::string_view kWords[] = {"AsyncRequired", "ConcurrencyError", "RequiresApp", "MaintenanceInfoConflict"};
  return std::find(std::begin(kWords), std::end(kWords), error) != std::end(kWords);
}

bool is_tag(std::string_view etag) {
  return std::all_of(etag.begin(), etag.end(), [](char c) { return c > ' ' && c < '\x7F'; });
}

void clean_link(Answer& answer, const BrokerText& text) {
  answer.dashboard_url.clear();
  answer.dashboard_fault.clear();
  const auto url = answer.well_formed ? json::string_at(answer.body, "dashboard_url") : std::nullopt;
  if (!url || url->empty()) return;
  answer.dashboard_fault = text.link_fault(*url);
  if (answer.dashboard_fault.empty()) answer.dashboard_url = *url;
}

}  // namespace

BrokerText::BrokerText(const Sensitive& sensitive)
    : missing_(missing_of(sensitive)), mask_(is_too_much(sensitive) ? std::vector<std::string>() : sensitive.values) {}

std::string BrokerText::shown(std::string_view text, Lines lines) const {
  return visible_text(mask_.apply(text), lines);
}

std::string BrokerText::line(std::string_view text, size_t most) const {
  if (trim(text).empty()) return "";
  if (!missing_.empty()) return fmt::format("[text withheld: {}]", missing_);
  return own_line(text, most);
}

std::string BrokerText::own_line(std::string_view text, size_t most) const {
  return shorten(trim(shown(text, Lines::kJoin)), most);
}

std::string BrokerText::label(std::string_view text) const { return shown(text, Lines::kJoin); }

std::string BrokerText::prose(std::string_view text) const { return shown(text, Lines::kKeep); }

json::Value BrokerText::cleaned(const json::Value& value) const {
  if (const auto* object = value.if_object()) {
    json::Object out;
    out.reserve(object->size());
    for (const auto& [key, each] : *object) {
      if (is_clean({key.data(), key.size()})) out.emplace(key, cleaned(each));
    }
    return out;
  }
  if (const auto* list = value.if_array()) {
    json::Array out;
    out.reserve(list->size());
    for (const auto& each : *list) out.push_back(cleaned(each));
    return out;
  }
  if (const auto* text = value.if_string()) {
    const auto clean = prose(json::view(*text));
    return json::Value(boost::json::string_view(clean));
  }
  return value;
}

bool BrokerText::is_clean(std::string_view text) const {
  return missing_.empty() && is_visible(text) && !mask_.finds_any(text);
}

std::string BrokerText::link_fault(std::string_view url) const {
  if (auto fault = web_link_fault(url); !fault.empty()) return fault;
  if (!missing_.empty()) return fmt::format("may repeat a secret value: {}", missing_);
  return mask_.finds_any(url) ? "repeats a secret value" : "";
}

void clean(Answer& answer, const Sensitive& sensitive) {
  const bool has_link = json::string_at(answer.body, "dashboard_url").has_value();
  if (answer.error.empty() && answer.description.empty() && answer.etag.empty() && !answer.failure && !has_link) return;
  auto known = sensitive;
  // Credentials that come with this very answer.
  if (const auto* credentials = json::find(answer.body, "credentials")) known.add_all(*credentials);
  const BrokerText text(known);
  if (!is_word_of_api(answer.error)) {
    // What is withheld is said once, in the place of both.
    if (text.withholds() && answer.description.empty()) answer.description = answer.error;
    answer.error = text.withholds() ? "" : text.line(answer.error, kMostWord);
  }
  answer.description = text.line(answer.description, kMostDescription);
  if (answer.failure) answer.failure->message = text.own_line(answer.failure->message, kMostDescription);
  clean_link(answer, text);
  if (!is_tag(answer.etag) || !text.is_clean(answer.etag)) answer.etag.clear();
}

}  // namespace chandler::osb
