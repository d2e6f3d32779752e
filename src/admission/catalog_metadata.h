// What the rules of the service catalog read from and write to the metadata of their kinds. Pure.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "admission/rules.h"
#include "resolve/abandonment.h"

namespace chandler::admission {

using resolve::kCatalogFinalizer;

// The object waits for its controller when it is deleted. Set on create only, so that whoever finishes a deletion can
// take it away; finalizers of users stay. Of instances and bindings catalog_finalizer.h keeps it.
void add_catalog_finalizer(Context& context);

// Labels with the hash of a field's value, by which clients without field selectors find objects. Fields are paths
// below spec, such as clusterServiceClassRef.name; the label of an empty field is removed. Immutable; its texts are
// made once and not for each write.
class HashedFields {
 public:
  HashedFields(std::initializer_list<std::string_view> fields);  // constants of the program
  void label(Context& context) const;

 private:
  struct Row {
    std::string_view field;
    std::string label;
  };
  std::vector<Row> rows_;
};

// Made by a chart ahead of the catalog: the first relist will complete it. Said by a controller reference that names
// no owner yet, or by the annotation servicecatalog.kubernetes.io/adopt.
bool awaits_adoption(const json::Value& object);

// A counter by which users ask for something to be done again: never decreases, and 0 keeps the stored value.
void keep_counter(Context& context, std::string_view field);
void check_counter(const Context& context, std::string_view field, meta::FieldErrors& errors);

}  // namespace chandler::admission
