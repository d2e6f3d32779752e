// What a usage delivers once its binding is there: a secret, under which prefix, and by which labels pods are found and
// started anew. Everything is read from the View and nothing from memory, so a restart changes nothing.
#pragma once

#include <string>
#include <vector>

#include "controller/view.h"
#include "reconcilers/usage/observations.h"
#include "reconcilers/usage/usage_view.h"
#include "resolve/label_projection.h"

namespace chandler::reconcilers {

struct Delivery {
  client::Object binding;      // none: it is missing
  std::string secret_name;     // empty: not known
  Observation binding_ready;   // of type BindingReady
  std::string labels_problem;  // what is wrong with the labels of the class; empty: nothing
  std::vector<resolve::WantedLabel> labels;
};

Delivery find_delivery(const UsageView& usage, controller::View& view);

// The value of the usage's own label. It says what is delivered and, for usages that restart pods, in which state: a
// digest over the content, so that it changes with the content and with nothing else. Salted with the usage and cut to
// 40 bits, which gives no secret away; but who can read the label could check a guess of a weak one against it.
std::string delivery_digest(const UsageView& usage, std::string_view secret_name, const client::Object& secret);

// The PodPreset that turns the label into environment variables. It looks for the key alone: pods of a workload whose
// value is about to change must not go without.
json::Value wanted_preset(const UsageView& usage, std::string_view secret_name);

}  // namespace chandler::reconcilers
