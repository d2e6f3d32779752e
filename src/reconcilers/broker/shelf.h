// The classes, or the plans, of a broker that exist already, and under which name each entry of its catalog is found or
// put. An entry keeps the object it has, whatever its name is; a new one is named after its ID, and when that name
// belongs to somebody else, the next candidate counts: another broker with the same IDs never gets in the way. Lives
// for one relist.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controller/view.h"
#include "reconcilers/broker/ownership.h"

namespace chandler::reconcilers {

struct Place {
  std::string name;
  OfferView existing;             // none: to be created
  bool is_operators_own = false;  // a user-made object stands for the entry: it is left alone
};

class Shelf {
 public:
  // Lists the objects of `kind` that name the broker.
  Shelf(const BrokerView& broker, client::KindName kind, controller::View& view);

  // `class_name` is empty for classes. Nullopt: every candidate is taken.
  std::optional<Place> find(const std::string& external_id, const std::string& class_name,
                            const std::vector<std::string>& candidates);
  // The entry of that place is offered.
  void keep(const Place& place) { kept_.insert(place.name); }

  // What the broker maintained and offers no more.
  std::vector<OfferView> left_over() const;
  // Made by operators for this broker.
  std::vector<OfferView> operators_own() const;
  const client::KindName& kind() const { return kind_; }

 private:
  bool fits(const OfferView& offer, const std::string& external_id, const std::string& class_name) const;

  const BrokerView& broker_;
  const client::KindName kind_;
  controller::View& view_;
  struct Known {
    OfferView offer;
    Holder holder;
  };
  std::map<std::string, Known, std::less<>> by_name_;
  std::multimap<std::string, std::string, std::less<>> by_id_;  // of those that relists maintain
  std::set<std::string, std::less<>> taken_;                    // by entries of this relist
  std::set<std::string, std::less<>> kept_;
};

// Objects of the broker that relists maintain and that are offered now.
int64_t count_offered(const BrokerView& broker, client::KindName kind, controller::View& view);

}  // namespace chandler::reconcilers
