// A broker's catalog: whatever it holds, what is kept is usable and unique, and problems are bounded.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/text.h"
#include "json/reader.h"
#include "osb/catalog.h"

using namespace chandler;
using namespace chandler::osb;

namespace {

void check_name(const std::string& text) {
  CH_CHECK(is_visible(text));
  CH_CHECK(utf8_length(text) >= 1 && utf8_length(text) <= 63);
}

void check_suggestions(const Suggestions& suggestions) {
  CH_CHECK(suggestions.service_type.size() <= 63);
  CH_CHECK(suggestions.default_provision_parameters.is_null() || suggestions.default_provision_parameters.is_object());
  CH_CHECK(suggestions.default_binding_parameters.is_null() || suggestions.default_binding_parameters.is_object());
  CH_CHECK(suggestions.default_secret_transform.is_null() || suggestions.default_secret_transform.is_array());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  json::ReadOptions options;
  options.max_depth = 64;
  const auto body = json::parse({reinterpret_cast<const char*>(data), size}, options);
  if (!body.ok()) return 0;
  const auto catalog = parse_catalog(*body, BrokerText(Sensitive()));
  if (!catalog.ok()) return 0;
  CH_CHECK(catalog->problems.size() <= 201);
  std::set<std::string> service_ids;
  std::set<std::string> service_names;
  std::set<std::string> plan_ids;
  for (const Service& service : catalog->services) {
    check_name(service.id);
    check_name(service.name);
    check_suggestions(service);
    CH_CHECK(!service.description.empty() && !service.plans.empty());
    CH_CHECK(is_visible(service.description, Lines::kKeep));
    CH_CHECK(service_ids.insert(service.id).second && service_names.insert(service.name).second);
    std::set<std::string> plan_names;
    for (const Plan& plan : service.plans) {
      check_name(plan.id);
      check_name(plan.name);
      check_suggestions(plan);
      CH_CHECK(!plan.description.empty());
      CH_CHECK(plan_ids.insert(plan.id).second && plan_names.insert(plan.name).second);
    }
  }
  return 0;
}
