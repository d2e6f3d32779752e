// Whether a webhook wants to see a write, and in which form. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "meta/selector.h"
#include "registry/admission.h"
#include "webhooks/hook.h"

namespace chandler::webhooks {

std::string_view operation_word(registry::Operation operation);  // "CREATE"

// A name under which an object is served: versions of a kind differ in nothing but the name; Events go by two.
struct Form {
  std::string group;
  std::string version;
  bool operator==(const Form&) const = default;
};

// The form of the request itself.
Form own_form(const registry::AdmissionRequest& request);
// The object in that form, and back in the form it is stored in.
// Whoever came by /scale sees and changes a Scale; one that makes no sense is an error.
json::Value in_form(const registry::AdmissionRequest& request, const Form& form, json::Value object);
Result<json::Value> out_of_form(const registry::AdmissionRequest& request, const Form& form, json::Value object);

// The subresource that rules speak of.
std::string_view part_of(const registry::AdmissionRequest& request);

// Where the write is: its namespace; of a namespace, itself.
std::string place_of(const registry::AdmissionRequest& request);

// The form in which the webhook wants to see the write; none: not at all. `place` gives the labels of the namespace
// that the write is in.
std::optional<Form> match(const Hook& hook, const registry::AdmissionRequest& request, const meta::LabelLookup& place);

}  // namespace chandler::webhooks
