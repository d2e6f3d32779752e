// A broker's catalog in the words of our kinds: for each class and plan the fields it provides. Pure.
#pragma once

#include <string>
#include <vector>

#include "osb/catalog.h"
#include "reconcilers/broker/provided_fields.h"
#include "reconcilers/catalog/settings.h"

namespace chandler::reconcilers {

struct OfferedPlan {
  std::string external_id;
  std::string external_name;
  bool free = true;
  ProvidedFields fields;
};

struct OfferedClass {
  std::string external_id;
  std::string external_name;
  ProvidedFields fields;
  std::vector<OfferedPlan> plans;
};

struct OfferedCatalog {
  std::vector<OfferedClass> classes;
  std::vector<std::string> problems;  // what is left out, each named
};

// Fields behind a feature gate that is off are not provided.
OfferedCatalog offered_catalog(osb::Catalog catalog, const Settings& settings);

}  // namespace chandler::reconcilers
