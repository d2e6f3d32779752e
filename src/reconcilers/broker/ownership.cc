#include "reconcilers/broker/ownership.h"

#include <algorithm>

namespace chandler::reconcilers {
namespace {

const json::Value& controller_of(const json::Value& offer) {
  const auto* owners = json::array_at(member(offer, "metadata"), "ownerReferences");
  if (owners != nullptr) {
    for (const auto& owner : *owners) {
      if (true_at(owner, "controller")) return owner;
    }
  }
  return member(offer, "");  // null
}

}  // namespace

Holder holder_of(const OfferView& offer, const BrokerView& broker) {
  const auto named = offer.broker();
  const bool names_this = named == broker.ref();
  if (!named.empty() && !names_this) return Holder::kOther;
  const auto& controller = controller_of(offer.object().value());
  if (text_at(controller, "apiVersion").starts_with(kCatalogGroup)) {
    if (text_at(controller, "kind").empty() || text_at(controller, "name").empty()) return Holder::kNobody;
    const bool ours = text_at(controller, "kind") == broker.names().broker_kind &&
                      text_at(controller, "name") == broker.object().name();
    return ours ? Holder::kThisBroker : Holder::kOther;
  }
  if (controller.is_null() && annotation_of(offer.object(), kAdoptAnnotation) == "true") return Holder::kNobody;
  return names_this ? Holder::kOperator : Holder::kOther;
}

json::Value reference_to(const BrokerView& broker) {
  json::Object reference;
  reference["apiVersion"] = text(kCatalogVersion);
  reference["kind"] = text(broker.names().broker_kind);
  reference["name"] = text(broker.object().name());
  reference["uid"] = text(broker.object().uid());
  reference["controller"] = true;
  reference["blockOwnerDeletion"] = false;
  return reference;
}

bool has_reference(const json::Value& offer, const json::Value& reference) {
  return json::equal(controller_of(offer), reference);
}

void write_reference(json::Object& metadata, const json::Value& reference) {
  auto& owners = metadata["ownerReferences"];
  if (!owners.is_array()) owners.emplace_array();
  auto& list = owners.get_array();
  const auto found =
      std::find_if(list.begin(), list.end(), [](const json::Value& owner) { return true_at(owner, "controller"); });
  if (found == list.end()) {
    list.push_back(reference);
  } else {
    *found = reference;
  }
}

}  // namespace chandler::reconcilers
