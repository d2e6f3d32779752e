#include "brokers/scripted/rules.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "json/writer.h"

namespace chandler::brokers {
namespace {

using osb::server::Action;

constexpr size_t kMaxRules = 1000;
constexpr int64_t kMaxDelay = 600'000;
constexpr std::array<std::string_view, 16> kFields = {
    "on",      "planID", "instanceID", "bindingID",  "status", "body", "rawBody", "headers",
    "delayMs", "hang",   "apply",      "disconnect", "async",  "skip", "times",   "name"};
constexpr std::array<std::string_view, 7> kAsyncFields = {
    "polls", "descriptions", "outcome", "description", "retryAfter", "instanceUsable", "updateRepeatable"};

Error bad_rule(size_t index, std::string_view what) { return bad_request(fmt::format("rules[{}]: {}", index, what)); }

bool is_action(std::string_view name) {
  if (name == "*") return true;
  for (int i = 0; i <= static_cast<int>(Action::kPollBinding); ++i) {
    if (name == osb::server::action_name(static_cast<Action>(i))) return true;
  }
  return false;
}

template <size_t N>
std::optional<std::string> unknown_field(const json::Object& object, const std::array<std::string_view, N>& known) {
  for (const auto& member : object) {
    const std::string_view name(member.key().data(), member.key().size());
    if (std::find(known.begin(), known.end(), name) == known.end()) return std::string(name);
  }
  return std::nullopt;
}

Result<AsyncScript> read_async(const json::Value& value, size_t index) {
  if (!value.is_object()) return bad_rule(index, "async must be an object");
  if (const auto name = unknown_field(value.get_object(), kAsyncFields)) {
    return bad_rule(index, fmt::format("async.{} is not known", *name));
  }
  AsyncScript script;
  script.polls = json::int_at(value, "polls").value_or(1);
  if (const auto* texts = json::array_at(value, "descriptions")) {
    for (const auto& text : *texts) {
      if (text.is_string()) script.descriptions.emplace_back(json::view(text.get_string()));
    }
  }
  const auto outcome = json::string_or(value, "outcome", "succeeded");
  if (outcome != "succeeded" && outcome != "failed") {
    return bad_rule(index, "async.outcome must be \"succeeded\" or \"failed\"");
  }
  script.succeeds = outcome == "succeeded";
  script.outcome_description = json::string_or(value, "description");
  script.retry_after = json::int_at(value, "retryAfter");
  script.instance_usable = json::bool_at(value, "instanceUsable");
  script.update_repeatable = json::bool_at(value, "updateRepeatable");
  return script;
}

Result<RulePtr> read_rule(const json::Value& value, size_t index) {
  if (!value.is_object()) return bad_rule(index, "a rule is an object");
  if (const auto name = unknown_field(value.get_object(), kFields)) {
    return bad_rule(index, fmt::format("{} is not known", *name));
  }
  auto rule = std::make_shared<Rule>();
  rule->source = value;
  rule->on = json::string_or(value, "on", "*");
  if (!is_action(rule->on)) return bad_rule(index, fmt::format("on: {} is no action", quoted(rule->on)));
  rule->plan_id = json::string_or(value, "planID");
  rule->instance_id = json::string_or(value, "instanceID");
  rule->binding_id = json::string_or(value, "bindingID");
  if (const auto status = json::int_at(value, "status")) {
    if (*status < 200 || *status > 599) return bad_rule(index, "status must be from 200 to 599");
    rule->status = static_cast<int>(*status);
  }
  if (const auto* body = json::find(value, "body")) rule->body = json::write(*body);
  if (const auto raw = json::string_at(value, "rawBody")) rule->body = std::string(*raw);
  if (const auto* headers = json::object_at(value, "headers")) {
    for (const auto& member : *headers) {
      if (!member.value().is_string()) return bad_rule(index, "headers must be texts");
      const std::string text(json::view(member.value().get_string()));
      if (text.find_first_of("\r\n") != std::string::npos) return bad_rule(index, "a header has a line break");
      rule->headers.emplace_back(std::string(member.key()), text);
    }
  }
  const auto delay = json::int_at(value, "delayMs").value_or(0);
  if (delay < 0 || delay > kMaxDelay) return bad_rule(index, fmt::format("delayMs must be from 0 to {}", kMaxDelay));
  rule->delay = std::chrono::milliseconds(delay);
  rule->hang = json::bool_at(value, "hang").value_or(false);
  rule->apply = json::bool_at(value, "apply").value_or(false);
  const auto disconnect = json::string_or(value, "disconnect");
  if (disconnect == "before") {
    rule->disconnect = Rule::Disconnect::kBefore;
  } else if (disconnect == "after") {
    rule->disconnect = Rule::Disconnect::kAfter;
  } else if (!disconnect.empty()) {
    return bad_rule(index, "disconnect must be \"before\" or \"after\"");
  }
  if (const auto* async = json::find(value, "async")) {
    CH_TRY_LET(script, read_async(*async, index));
    rule->async = std::move(script);
  }
  rule->skip = json::int_at(value, "skip").value_or(0);
  if (const auto times = json::int_at(value, "times")) {
    rule->is_limited = true;
    rule->left = *times;
  }
  return RulePtr(std::move(rule));
}

}  // namespace

Result<Rules> read_rules(const json::Value& document) {
  const auto* list = json::array_at(document, "rules");
  if (list == nullptr) return bad_request("the body must be {\"rules\": [...]}");
  if (list->size() > kMaxRules) return bad_request(fmt::format("at most {} rules are kept", kMaxRules));
  Rules rules;
  for (size_t i = 0; i < list->size(); ++i) {
    CH_TRY_LET(rule, read_rule((*list)[i], i));
    rules.push_back(std::move(rule));
  }
  return rules;
}

json::Value write_rules(const Rules& rules) {
  json::Array list;
  for (const auto& rule : rules) {
    json::Object entry = rule->source.as_object();
    if (rule->is_limited) entry["left"] = std::max<int64_t>(0, rule->left.load());
    list.emplace_back(std::move(entry));
  }
  return json::Object{{"rules", std::move(list)}};
}

RulePtr take_rule(const Rules& rules, const osb::server::BrokerRequest& request, const std::string& plan_id) {
  const auto fits = [](const std::string& wanted, const std::string& got) { return wanted.empty() || wanted == got; };
  for (const auto& rule : rules) {
    if (rule->on != "*" && rule->on != osb::server::action_name(request.action)) continue;
    if (!fits(rule->plan_id, plan_id) || !fits(rule->instance_id, request.instance_id) ||
        !fits(rule->binding_id, request.binding_id)) {
      continue;
    }
    if (rule->skip.load() > 0 && rule->skip.fetch_sub(1) > 0) continue;
    if (rule->is_limited && (rule->left.load() <= 0 || rule->left.fetch_sub(1) <= 0)) continue;
    return rule;
  }
  return nullptr;
}

}  // namespace chandler::brokers
