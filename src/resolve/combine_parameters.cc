#include "resolve/combine_parameters.h"

#include <map>

#include <fmt/format.h>

#include "json/reader.h"
#include "resolve/parameter_bounds.h"

namespace chandler::resolve {
namespace {

constexpr std::string_view kInline = "spec.parameters";

class Combination {
 public:
  Result<void> add(std::string_view source, const json::Value& value, bool secret) {
    const auto* object = value.if_object();
    if (object == nullptr) {
      return bad_request(fmt::format("{} must be an object, not {}", source, json::type_name(value)));
    }
    CH_TRY(check_bounds(value, fmt::format("the parameters of {}", source)));
    for (const auto& member : *object) {
      const std::string key(member.key());
      const auto [given, is_new] = sources_.try_emplace(key, source);
      if (!is_new) {
        return bad_request(fmt::format("the parameter {} is given twice, by {} and by {}; remove it from one of them",
                                       shown_key(key), given->second, source));
      }
      value_.emplace(key, member.value());
      redacted_.emplace(key, secret ? json::Value(kRedacted.data()) : json::Value(member.value(), json::Storage()));
      if (secret) keys_.insert(key);
    }
    return {};
  }

  CombinedParameters take() { return {std::move(value_), std::move(redacted_), std::move(keys_)}; }

 private:
  std::map<std::string, std::string, std::less<>> sources_;
  json::Object value_, redacted_;
  std::set<std::string, std::less<>> keys_;
};

}  // namespace

Result<SecretParameters> read_secret_parameters(std::string name, std::string_view bytes) {
  json::ReadReport report;
  auto value = json::parse(bytes, {}, &report);
  // What the reader has to say may quote the text, which is secret.
  if (!value.ok() || !value->is_object()) return bad_request(fmt::format("{} does not hold a JSON object", name));
  if (!report.duplicates.empty()) return bad_request(fmt::format("{} holds a key twice", name));
  return SecretParameters{std::move(name), std::move(*value)};
}

Result<CombinedParameters> combine_parameters(const json::Value* inline_parameters,
                                              std::span<const SecretParameters> secrets) {
  Combination combination;
  if (inline_parameters != nullptr && !inline_parameters->is_null()) {
    CH_TRY(combination.add(kInline, *inline_parameters, false));
  }
  for (const auto& secret : secrets) CH_TRY(combination.add(secret.name, secret.value, true));
  CombinedParameters combined = combination.take();
  CH_TRY(check_bounds(combined.value, "all parameters together"));
  return combined;
}

std::set<std::string, std::less<>> keys_of(std::span<const SecretParameters> secrets) {
  std::set<std::string, std::less<>> keys;
  for (const auto& secret : secrets) {
    const auto* object = secret.value.if_object();
    for (size_t i = 0; object != nullptr && i < object->size(); ++i) keys.emplace((object->begin() + i)->key());
  }
  return keys;
}

}  // namespace chandler::resolve
