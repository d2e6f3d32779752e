#include "reconcilers/catalog/sent_parameters.h"

#include "reconcilers/catalog/document.h"
#include "resolve/combine_parameters.h"
#include "resolve/sensitive_parameters.h"

namespace chandler::reconcilers {
namespace {

constexpr std::string_view kChanged = "the secrets with its parameters have changed since they were sent, or are gone";
constexpr std::string_view kEntangled = "the schema of the plan does not let the sensitive parameters be told";

}  // namespace

void add_sent_parameters(osb::Sensitive& out, const client::Object& object, const json::Value& properties,
                         const json::Object& stored, std::initializer_list<const json::Value*> schemas,
                         const Settings& settings) {
  const auto& recorded = member(properties, "parameters");
  if (!recorded.is_object()) return;
  json::Value sent = recorded;
  bool has_secrets = false;
  for (auto& [key, value] : sent.get_object()) {
    if (!value.is_string() || json::view(value.get_string()) != resolve::kRedacted) continue;
    has_secrets = true;
    const auto* secret = stored.if_contains(key);
    if (secret == nullptr) continue;
    out.add_all(*secret);
    value = *secret;
  }
  const auto checksum = settings.checksum_key.checksum(object.uid(), sent);
  if (has_secrets && checksum != text_at(properties, "parameterChecksum")) out.miss(kChanged);
  for (const auto* schema : schemas) {
    const bool is_complete =
        resolve::find_sensitive_parameters(*schema, sent, [&](const json::Value& value) { out.add_all(value); });
    if (!is_complete) out.miss(kEntangled);
  }
}

}  // namespace chandler::reconcilers
