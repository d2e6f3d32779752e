// Whose a class or plan is, as a broker's relist sees it. Pure.
#pragma once

#include "reconcilers/broker/broker_view.h"
#include "reconcilers/catalog/views.h"

namespace chandler::reconcilers {

enum class Holder {
  kThisBroker,  // kept in step with the broker's catalog
  kNobody,      // made beforehand, waiting to be taken over by the broker that offers it
  kOperator,    // user-made, of this broker: none of a relist's business
  kOther,       // of another broker
};
Holder holder_of(const OfferView& offer, const BrokerView& broker);
inline bool is_kept(Holder holder) { return holder == Holder::kThisBroker || holder == Holder::kNobody; }

// The controller reference to a broker.
json::Value reference_to(const BrokerView& broker);
// It is there and complete.
bool has_reference(const json::Value& offer, const json::Value& reference);
// Puts it in the place of whatever controller reference there is.
void write_reference(json::Object& metadata, const json::Value& reference);

}  // namespace chandler::reconcilers
