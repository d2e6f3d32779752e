// From a catalog to the objects of its broker: what has to be written so that classes and plans are those of the
// catalog, and nothing more. Plans come before their classes, so nobody sees a class without its plans; what the
// catalog lost is flagged last. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "controller/view.h"
#include "reconcilers/broker/broker_view.h"
#include "reconcilers/broker/offered_catalog.h"

namespace chandler::reconcilers {

struct Relist {
  std::vector<std::vector<client::Write>> stages;  // none is empty
  std::vector<std::string> problems;
  // "plan small: spec.defaultProvisionParameters": values of operators that gave way to the broker's.
  std::vector<std::string> overwritten;
  int64_t classes = 0;
  int64_t plans = 0;
};

// Fails when the broker's catalogRestrictions cannot be read.
Result<Relist> relist(const BrokerView& broker, OfferedCatalog catalog, const Settings& settings,
                      controller::View& view);

}  // namespace chandler::reconcilers
