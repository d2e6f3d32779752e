// The smaller pieces of volume_selector.h: reading a class, names, spreading, the default class.
#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "resolve/choose_default.h"
#include "resolve/volume_selector.h"

namespace chandler::resolve {
namespace {

constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";
constexpr std::array<std::string_view, 2> kDefaultAnnotations = {"storageclass.kubernetes.io/is-default-class",
                                                                 "storageclass.beta.kubernetes.io/is-default-class"};

using Topologies = std::map<std::string, std::vector<std::string>, std::less<>>;

std::vector<std::string> both(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const std::set<std::string_view> known(b.begin(), b.end());
  std::vector<std::string> kept;
  std::copy_if(a.begin(), a.end(), std::back_inserter(kept), [&](const auto& value) { return known.contains(value); });
  return kept;
}

void drop_repeats(std::vector<std::string>& values) {
  std::set<std::string> seen;
  std::erase_if(values, [&](const std::string& value) { return !seen.insert(value).second; });
}

// What one term of allowedTopologies demands.
Topologies read_term(const json::Value& term) {
  Topologies demands;
  const auto* expressions = json::array_at(term, "matchLabelExpressions");
  for (size_t i = 0; expressions != nullptr && i < expressions->size(); ++i) {
    const auto& expression = (*expressions)[i];
    std::vector<std::string> values;
    const auto* list = json::array_at(expression, "values");
    for (size_t j = 0; list != nullptr && j < list->size(); ++j) {
      if ((*list)[j].is_string()) values.emplace_back(json::view((*list)[j].get_string()));
    }
    drop_repeats(values);
    const auto [place, fresh] = demands.emplace(json::string_or(expression, "key"), values);
    if (!fresh) place->second = both(place->second, values);
  }
  return demands;
}

// A key is restricted only where every term restricts it.
Topologies read_topologies(const json::Value& storage_class) {
  const auto* terms = json::array_at(storage_class, "allowedTopologies");
  if (terms == nullptr || terms->empty()) return {};
  auto all = read_term(terms->front());
  for (size_t i = 1; i < terms->size(); ++i) {
    const auto term = read_term((*terms)[i]);
    std::erase_if(all, [&](const auto& entry) { return !term.contains(entry.first); });
    for (auto& [key, values] : all) {
      const auto& more = term.find(key)->second;
      values.insert(values.end(), more.begin(), more.end());
    }
  }
  for (auto& [key, values] : all) drop_repeats(values);
  return all;
}

uint64_t fnv1a(std::string_view text, uint64_t hash) {
  constexpr uint64_t kPrime = 0x100000001b3;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return hash;
}

// "www-web-2" is member 2 of the set "web".
struct Member {
  std::string_view base;
  uint64_t ordinal = 0;
};
Member member_of(std::string_view claim) {
  constexpr uint64_t kMostOrdinal = UINT32_MAX;
  const auto dash = claim.rfind('-');
  const auto ordinal = dash == std::string_view::npos ? std::nullopt : parse_uint64(claim.substr(dash + 1));
  if (!ordinal || *ordinal > kMostOrdinal) return {claim};
  auto base = claim.substr(0, dash);
  if (const auto before = base.rfind('-'); before != std::string_view::npos) base.remove_prefix(before + 1);
  return {base, *ordinal};
}

}  // namespace

const KeyProfile& ProvisionerProfile::of(std::string_view key) const {
  static const KeyProfile kUnknown;
  const auto found = keys.find(key);
  return found == keys.end() ? kUnknown : found->second;
}

const ProvisionerProfile& common_profile() {
  static const KeyProfile kZone{.always_valued = true, .parameter = "zone", .list_parameter = "zones", .values = {}};
  static const ProvisionerProfile kProfile{
      .keys = {{std::string(kZoneLabel), kZone}, {std::string(kBetaZoneLabel), kZone}}};
  return kProfile;
}

const ProvisionerProfile& known_profile(std::string_view provisioner) {
  static const ProvisionerProfile kLocal = [] {
    auto profile = common_profile();
    profile.refuses_other_keys = true;
    profile.keys[std::string(kFormLabel)] = {.always_valued = true,
                                             .parameter = "form",
                                             .list_parameter = "",
                                             .values = std::vector<std::string>{"directory", "image"}};
    return profile;
  }();
  return provisioner == kLocalProvisioner ? kLocal : common_profile();
}

Result<TunableClass> read_tunable_class(const json::Value& storage_class) {
  TunableClass read;
  if (const auto* metadata = json::find(storage_class, "metadata")) read.name = json::string_or(*metadata, "name");
  read.provisioner = json::string_or(storage_class, "provisioner");
  if (const auto* parameters = json::object_at(storage_class, "parameters")) {
    for (const auto& entry : *parameters) {
      if (entry.value().is_string()) read.parameters.emplace(entry.key(), json::view(entry.value().get_string()));
    }
  }
  read.topologies = read_topologies(storage_class);
  CH_TRY_LET(options, read_selector_options(storage_class));
  read.options = std::move(options);
  read.choice = selector_choice(storage_class);
  return read;
}

std::string_view fault_name(SelectorFault fault) {
  switch (fault) {
    case SelectorFault::kInvalidSelector:
      return "InvalidSelector";
    case SelectorFault::kSelectorNotAllowed:
      return "SelectorNotAllowed";
    case SelectorFault::kUnknownSelectorKey:
      return "UnknownSelectorKey";
    case SelectorFault::kMissingRequiredKey:
      return "MissingRequiredKey";
    case SelectorFault::kUnsatisfiable:
      return "Unsatisfiable";
    case SelectorFault::kAmbiguousSelector:
      return "AmbiguousSelector";
    case SelectorFault::kClassConflict:
      return "ClassConflict";
  }
  return "";
}

const std::string& spread(const std::vector<std::string>& values, std::string_view namespace_name,
                          std::string_view claim_name, std::string_view key) {
  constexpr uint64_t kOffset = 0xcbf29ce484222325;
  const auto [base, ordinal] = member_of(claim_name);
  auto hash = fnv1a(namespace_name, kOffset);
  hash = fnv1a("/", hash);
  hash = fnv1a(base, hash);
  hash = fnv1a(std::string_view("\0", 1), hash);
  hash = fnv1a(key, hash);
  const auto count = static_cast<uint64_t>(values.size());
  // Neighbours stay neighbours: the sum must not wrap around.
  return values[static_cast<size_t>((hash % count + ordinal % count) % count)];
}

bool is_default_class(const json::Value& storage_class) {
  const auto* annotations = json::find_path(storage_class, {"metadata", "annotations"});
  return annotations != nullptr &&
         std::any_of(kDefaultAnnotations.begin(), kDefaultAnnotations.end(),
                     [&](std::string_view key) { return json::string_at(*annotations, key) == "true"; });
}

std::string default_class(std::span<const ClassCandidate> marked) {
  CandidateSet set;
  for (const auto& candidate : marked) set.candidates.push_back({candidate.name, 0, candidate.created});
  const auto choice = choose(std::span(&set, 1), TieRule::kNewest);
  return choice.outcome == Outcome::kChosen ? marked[choice.candidate].name : "";
}

std::optional<std::string> class_of_claim(const json::Value& claim) {
  if (const auto* annotations = json::find_path(claim, {"metadata", "annotations"})) {
    if (const auto name = json::string_at(*annotations, kClassAnnotation)) return std::string(*name);
  }
  const auto* spec = json::find(claim, "spec");
  if (spec == nullptr) return std::nullopt;
  if (const auto name = json::string_at(*spec, "storageClassName")) return std::string(*name);
  if (const auto name = json::string_at(*spec, "class"); name && !name->empty()) return std::string(*name);
  return std::nullopt;
}

}  // namespace chandler::resolve
