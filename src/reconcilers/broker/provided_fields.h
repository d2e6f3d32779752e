// Which fields of a class or plan come from the broker. The catalog gives a set of fields with values; the record on
// the object (resolve/provided_record.h) says which ones the last relist wrote. A relist rewrites exactly these,
// removes those that the broker stopped providing, and leaves all others alone, whoever set them. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/container/flat_map.hpp>

#include "reconcilers/catalog/document.h"

namespace chandler::reconcilers {

// The record's name of the annotation that marks suggested plans.
inline constexpr std::string_view kSuggestedPlanPath =
    "metadata.annotations[servicecatalog.kubernetes.io/is-suggested-plan]";

// The same of the type that a plan has from its class, where an operator gave it to the class.
inline constexpr std::string_view kTypeOfClassPath = "metadata.annotations[servicecatalog.kubernetes.io/type-of-class]";
inline constexpr std::string_view kServiceTypePath = "spec.serviceType";

// By path: "spec.description", kSuggestedPlanPath or kTypeOfClassPath. The paths are constants of the program: there
// are as many sets as a catalog has plans.
using ProvidedFields = boost::container::flat_map<std::string_view, json::Value>;

// Paths, as the record on an object names them.
using RecordedFields = std::set<std::string, std::less<>>;

// The record of the last relist, without the type when somebody has replaced the one of the class.
RecordedFields recorded_fields(const client::Object& offer);

// The value at such a path; null when there is none.
const json::Value& field_at(const json::Value& offer, std::string_view path);
const json::Value& field_at(const json::Object& offer, std::string_view path);

// The object has all these values, and nothing that the broker stopped providing.
bool fields_are_current(const json::Value& offer, const ProvidedFields& provided, const RecordedFields& recorded);

// Brings the object up to date. Returns the paths that held somebody else's value, which is gone now.
std::vector<std::string> write_fields(json::Object& offer, const ProvidedFields& provided,
                                      const RecordedFields& recorded);

bool is_recorded(const ProvidedFields& provided, const RecordedFields& recorded);
void record_fields(json::Object& offer, const ProvidedFields& provided);

// The plan has the type that an operator gave its class.
bool has_type_of_class(const client::Object& plan);
// Gives the plan that type, or takes it off again ("").
void write_type_of_class(json::Object& plan, std::string_view type);

}  // namespace chandler::reconcilers
