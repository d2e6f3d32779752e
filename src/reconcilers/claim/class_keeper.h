// Takes care of resource classes and providers: one that is in use stays until nobody uses it and says who does; the
// labels of a class say what its list says, also where no admission sees to it; and a class that is a default for kinds
// that are no claims says so.
#pragma once

#include "controller/reconciler.h"

namespace chandler::reconcilers::claims {

class ClassKeeper final : public controller::Reconciler {
 public:
  std::string_view name() const override { return "resource-class"; }
  std::vector<client::KindName> kinds() const override;
  std::vector<client::KindName> reads() const override;
  controller::Step reconcile(const client::KindName& kind, const client::Object& object,
                             controller::View& view) const override;
};

}  // namespace chandler::reconcilers::claims
