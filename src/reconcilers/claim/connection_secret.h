// Passes the connection details of a managed resource on to the secret of its claim. Both sides must agree: the source
// is controlled by what was made for the claim, the target by the claim, and each names the other's uid in an
// annotation. Agreement is established once; whoever takes an annotation away ends it, and nothing is copied any more.
#pragma once

#include <optional>
#include <string>

#include "controller/view.h"
#include "reconcilers/catalog/problem.h"
#include "reconcilers/claim/claim_view.h"

namespace chandler::reconcilers::claims {

struct SecretPlace {
  std::string ns;
  std::string name;
  std::string owner_uid;  // who must control it
};

// One thing at most: a write that comes next, a problem, or neither when the target holds what the source holds.
struct Propagation {
  std::optional<client::Write> write;
  std::optional<Problem> problem;
  bool is_waiting = false;  // there is no source yet
  std::string source_uid;
  std::string target_uid;
};

Propagation propagate(const ClaimView& claim, const SecretPlace& from, controller::View& view);

// The deletion of the claim's secret, if it is the claim's.
std::optional<client::Write> remove_target(const ClaimView& claim, controller::View& view);

bool is_controlled_by(const client::Object& object, std::string_view uid);

}  // namespace chandler::reconcilers::claims
