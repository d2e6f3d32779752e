// What no text of a broker about a binding may repeat: its credentials, and parameters that the broker was sent from
// secrets or that the plan calls sensitive, for the binding and for its instance.
#pragma once

#include "controller/view.h"
#include "osb/sensitive.h"
#include "reconcilers/binding/binding_view.h"
#include "reconcilers/catalog/settings.h"

namespace chandler::reconcilers {

osb::Sensitive secrets_of(const BindingView& binding, const Settings& settings, controller::View& view);
// The credentials as they stand in the binding's secret; when that is gone, they are missing.
void add_credentials(osb::Sensitive& out, const BindingView& binding, controller::View& view);

}  // namespace chandler::reconcilers
