// The rules of pod specifications, for Pods and for the templates in workloads. Pure.
#pragma once

#include <set>
#include <string_view>

#include "json/value.h"
#include "meta/field_error.h"

namespace chandler::admission {

void default_pod_spec(json::Object& spec);
// The template at spec.template of a workload, in place.
void default_pod_template(json::Object& workload_spec);

void check_pod_spec(const json::Value& spec, const meta::Path& path, meta::FieldErrors& errors);
// Labels, annotations and specification of a template.
void check_pod_template(const json::Value& pod_template, const meta::Path& path, meta::FieldErrors& errors);

// containers.cc: everything in one container; `volumes` are the names of the pod's.
void check_container(const json::Value& container, const std::set<std::string_view>& volumes, const meta::Path& path,
                     meta::FieldErrors& errors);

}  // namespace chandler::admission
