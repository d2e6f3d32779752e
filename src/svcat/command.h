// Commands as data: everything that help, parsing and completion need to know about one. Plain values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace chandler::svcat {

class Call;

// What completion may offer for an argument or a flag's value.
enum class Offer {
  kNothing,
  kBrokers,
  kClasses,
  kPlans,
  kInstances,
  kBindings,
  kTypes,
  kNamespaces,
  kUsages,
  kUsageKinds,
  kWorkloads,  // KIND/NAME
  kClaimKinds,
  kClaims,  // a kind of claim first, then a claim of it
  kResourceClasses,
  kStorageClasses,
  kVolumeClaims,
  kWords,
  kFiles
};

struct Flag {
  std::string_view name;     // without dashes
  char letter = 0;           // 0: none
  std::string_view value{};  // what help calls the value; empty: a switch
  std::string_view help{};
  std::string_view fallback{};  // the value when it is not given
  bool repeated = false;
  Offer offer = Offer::kNothing;
  std::vector<std::string_view> words{};  // for Offer::kWords
};

struct Command {
  std::string_view verb;
  std::string_view noun{};                       // empty: the verb stands alone
  std::vector<std::string_view> noun_aliases{};  // other words for the noun, or for the verb when it stands alone
  std::string_view arguments{};                  // "[NAME]"
  size_t min_arguments = 0;
  size_t max_arguments = 0;
  std::string_view summary{};                // one line
  std::string_view details{};                // paragraphs
  std::vector<std::string_view> examples{};  // without the program's name
  std::vector<Flag> flags{};
  Offer offer = Offer::kNothing;
  Result<int> (*run)(Call& call) = nullptr;  // the exit code
  bool hidden = false;

  std::string name() const { return noun.empty() ? std::string(verb) : std::string(verb) + " " + std::string(noun); }
};

// Flags that every command takes.
const std::vector<Flag>& global_flags();

// Groups of flags that many commands share.
Flag namespace_flag();
Flag all_namespaces_flag();
Flag cluster_flag();
Flag scope_flag();
Flag output_flag();
Flag watch_flag();
Flag kube_name_flag();
Flag yes_flag();
std::vector<Flag> wait_flags();
std::vector<Flag> parameter_flags();
std::vector<Flag> default_flags();     // of set and create: parameters and transforms
std::vector<Flag> offer_list_flags();  // of get classes and get plans

// All the groups behind one another.
std::vector<Flag> flags_of(std::vector<std::vector<Flag>> groups);

}  // namespace chandler::svcat
