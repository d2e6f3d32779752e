#include "reconcilers/broker/shelf.h"

#include <algorithm>

#include <fmt/format.h>

namespace chandler::reconcilers {
namespace {

std::vector<client::Object> offers_of(const BrokerView& broker, client::KindName kind, controller::View& view) {
  client::Selection selection;
  selection.ns = broker.object().ns();
  selection.fields.emplace_back(fmt::format("spec.{}", broker.names().broker_name), broker.object().name());
  return view.list(kind, selection);
}

}  // namespace

Shelf::Shelf(const BrokerView& broker, client::KindName kind, controller::View& view)
    : broker_(broker), kind_(kind), view_(view) {
  for (auto& object : offers_of(broker, kind, view)) {
    OfferView offer(broker.scope(), std::move(object));
    const auto holder = holder_of(offer, broker);
    const auto name = offer.name();
    if (is_kept(holder)) by_id_.emplace(offer.external_id(), name);
    by_name_.emplace(name, Known{std::move(offer), holder});
  }
}

bool Shelf::fits(const OfferView& offer, const std::string& external_id, const std::string& class_name) const {
  const auto id = offer.external_id();
  if (!id.empty() && id != external_id) return false;
  const auto of_class = PlanView(offer.scope(), offer.object()).class_name();
  return class_name.empty() || of_class.empty() || of_class == class_name;
}

std::optional<Place> Shelf::find(const std::string& external_id, const std::string& class_name,
                                 const std::vector<std::string>& candidates) {
  // What the entry has already. The first candidate is preferred, should there be several.
  std::optional<Place> found;
  const auto [begin, end] = by_id_.equal_range(external_id);
  for (auto it = begin; it != end; ++it) {
    const auto& offer = by_name_.at(it->second).offer;
    if (taken_.contains(it->second) || !fits(offer, external_id, class_name)) continue;
    if (!found || it->second == candidates.front()) found = Place{it->second, offer};
  }
  for (size_t i = 0; !found && i < candidates.size(); ++i) {
    const auto& name = candidates[i];
    if (taken_.contains(name)) continue;
    OfferView there(broker_.scope(), view_.get(kind_, broker_.object().ns(), name));
    if (!there) {
      found = Place{name, {}};
      break;
    }
    if (!fits(there, external_id, class_name)) continue;
    const auto holder = holder_of(there, broker_);
    if (is_kept(holder))
      found = Place{name, std::move(there)};
    else if (holder == Holder::kOperator)
      found = Place{name, std::move(there), true};
  }
  if (found) taken_.insert(found->name);
  return found;
}

std::vector<OfferView> Shelf::left_over() const {
  std::vector<OfferView> out;
  for (const auto& [name, known] : by_name_) {
    if (!kept_.contains(name) && known.holder == Holder::kThisBroker) out.push_back(known.offer);
  }
  return out;
}

std::vector<OfferView> Shelf::operators_own() const {
  std::vector<OfferView> out;
  for (const auto& [name, known] : by_name_) {
    if (known.holder == Holder::kOperator) out.push_back(known.offer);
  }
  return out;
}

int64_t count_offered(const BrokerView& broker, client::KindName kind, controller::View& view) {
  const auto objects = offers_of(broker, kind, view);
  return std::count_if(objects.begin(), objects.end(), [&](const client::Object& object) {
    const OfferView offer(broker.scope(), object);
    return offer.usable() && holder_of(offer, broker) == Holder::kThisBroker;
  });
}

}  // namespace chandler::reconcilers
