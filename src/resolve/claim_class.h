// Which resource class serves a claim: the one that it names, one that its selector fits, or a default for its kind, of
// its own namespace before those of the operator's class namespaces. The caller has collected the classes that may
// matter; here it is decided, with the reasons. Pure, thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "resolve/choose_default.h"

namespace chandler::resolve {

// Why a class is looked at.
enum class ClassMatch {
  kNamed,            // the claim names it
  kSelected,         // the claim's selector fits it
  kDefault,          // it is a default for the claim's kind and group
  kDefaultOfKind,    // it is a default for a kind of that name, whatever the group
  kDefaultElsewhere  // it is a default for a kind of that name in another group: never chosen, but told
};

struct ClassOption {
  std::string ns;
  std::string name;
  ClassMatch match = ClassMatch::kNamed;
  std::string created;  // creationTimestamp
  int64_t priority = 0;
  bool deleting = false;
  std::string engine_version;  // that the class offers; empty: it leaves it open
};

enum class ClassWish { kReference, kSelector, kDefault };

struct ClassRequest {
  std::string claim_kind;  // "postgresqlinstance.storage.crossplane.io"
  std::string ns;          // of the claim
  ClassWish wish = ClassWish::kDefault;
  std::string class_name;                     // for kReference
  std::string class_namespace;                // likewise; empty: that of the claim, then the operator's
  std::string selector;                       // for kSelector, as people write it; for messages
  std::string engine_version;                 // empty: any
  std::vector<std::string> class_namespaces;  // the operator's
  TieRule several = TieRule::kReject;
};

enum class ClassOutcome { kChosen, kNone, kAmbiguous, kDeleting, kVersionMismatch, kNotAllowed };

// As status.resolution spells it.
enum class ClassSource { kReference, kSelector, kNamespaceDefault, kOperatorDefault };
std::string_view source_name(ClassSource source);

enum class ClassVerdict { kChosen, kTied, kOutranked, kDeleting, kVersionMismatch, kOtherGroup };
std::string_view verdict_name(ClassVerdict verdict);

struct JudgedClass {
  size_t option = 0;  // index
  ClassSource set = ClassSource::kReference;
  ClassVerdict verdict = ClassVerdict::kOutranked;
  std::string message;
};

struct ClassDecision {
  ClassOutcome outcome = ClassOutcome::kNone;
  size_t index = 0;  // of the chosen option
  ClassSource source = ClassSource::kReference;
  std::string message;              // what was decided, or why nothing was and what to do
  std::vector<JudgedClass> judged;  // every option, the chosen and the tied ones first
};

// May a claim of `ns` use classes of `class_namespace`? Its own, and the operator's.
bool may_use_classes_of(const ClassRequest& request, std::string_view class_namespace);

ClassDecision decide_class(const ClassRequest& request, std::span<const ClassOption> options);

}  // namespace chandler::resolve
