// The kinds of claims: those that come along, which need no question to the server, and those that operators define by
// a CustomResourceDefinition with a label.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "svcat/call.h"
#include "svcat/catalog/discovery.h"

namespace chandler::svcat {

struct ClaimKind {
  DiscoveredKind served;
  std::vector<std::string> words;  // what people call it, in lower case: kind, plural, short names

  std::string qualified() const;  // "postgresqlinstance.storage.crossplane.io", as classes name it
};

const std::vector<ClaimKind>& known_claim_kinds();

// All of them. Whoever may not read definitions sees those that come along.
Result<std::vector<ClaimKind>> claim_kinds(Call& call);

// By kind, plural or short name, with or without the group, in any case of letters.
Result<ClaimKind> find_claim_kind(Call& call, const std::string& word);

// The claim KIND NAME of the command's arguments, in its namespace.
struct NamedClaim {
  ClaimKind kind;
  json::Value object;
};
Result<NamedClaim> find_claim(Call& call);

}  // namespace chandler::svcat
