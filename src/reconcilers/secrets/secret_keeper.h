// Lets go of protected secrets that nobody needs any more (secret_protection.h), and says on the others who needs them.
// Secrets without our finalizers cost nothing: they are not looked at further.
#pragma once

#include "controller/reconciler.h"

namespace chandler::reconcilers {

class SecretKeeper final : public controller::Reconciler {
 public:
  std::string_view name() const override { return "secret"; }
  std::vector<client::KindName> kinds() const override;
  std::vector<client::KindName> reads() const override;
  bool needs_look(const client::KindName& /*kind*/, const client::Object& secret) const override {
    return secret.document().has_finalizers();
  }
  controller::Step reconcile(const client::KindName& kind, const client::Object& secret,
                             controller::View& view) const override;
};

}  // namespace chandler::reconcilers
