#include "reconcilers/binding/binding_view.h"

namespace chandler::reconcilers {

std::string BindingView::secret_name() const {
  auto given = text_at(spec(), "secretName");
  return given.empty() ? name() : given;
}

std::string BindingView::id() const {
  auto renewed = text_at(status(), "bindingID");
  return renewed.empty() ? text_at(spec(), "externalID") : renewed;
}

BindingOperation BindingView::operation() const {
  const auto word = text_at(status(), "currentOperation");
  return word == "Bind"     ? BindingOperation::kBind
         : word == "Unbind" ? BindingOperation::kUnbind
                            : BindingOperation::kNone;
}

bool BindingView::needs_unbind() const { return resolve::may_be_held(text_at(status(), "unbindStatus")); }

std::string_view BindingView::transform_field() const {
  return json::array_at(spec(), "secretTransforms") != nullptr ? "secretTransforms" : "secretTransform";
}

}  // namespace chandler::reconcilers
