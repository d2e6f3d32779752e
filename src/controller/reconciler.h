// A reconciler decides the next step for one object. It is a pure function of what the View shows: no I/O, no clock, no
// state between calls, so every decision is a table test and the whole control plane runs in a simulation.
#pragma once

#include <string_view>
#include <vector>

#include "controller/step.h"
#include "controller/view.h"

namespace chandler::controller {

class Reconciler {
 public:
  virtual ~Reconciler() = default;
  virtual std::string_view name() const = 0;  // for logs and metrics: "instance"
  // The kinds whose objects it takes care of; twins of two scopes share a reconciler.
  virtual std::vector<client::KindName> kinds() const = 0;
  // The kinds that it only reads. More may be read, when it turns out at run time which: then they are followed from
  // that moment on.
  virtual std::vector<client::KindName> reads() const = 0;
  // Further kinds that it takes care of, as things are now; asked again whenever a CustomResourceDefinition changes.
  // Who answers something else than nothing has CustomResourceDefinitions among reads().
  virtual std::vector<client::KindName> kinds_of(const client::State&) const { return {}; }
  // False: reconcile() has nothing to do for the object, and finds that out without reading others. Such objects cost
  // no key: of a large catalog most are of that kind. Asked whenever one changes, so cheap.
  virtual bool needs_look(const client::KindName& /*kind*/, const client::Object& /*object*/) const { return true; }
  virtual Step reconcile(const client::KindName& kind, const client::Object& object, View& view) const = 0;
};

}  // namespace chandler::controller
