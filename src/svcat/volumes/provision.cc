// svcat provision-volume
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/text.h"
#include "meta/quantity.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/output/format.h"
#include "svcat/volumes/resolution.h"
#include "svcat/volumes/selection.h"
#include "svcat/wait.h"

namespace chandler::svcat {
namespace {

constexpr std::pair<std::string_view, std::string_view> kModes[] = {
    {"RWO", "ReadWriteOnce"}, {"ROX", "ReadOnlyMany"}, {"RWX", "ReadWriteMany"}, {"RWOP", "ReadWriteOncePod"}};

Result<json::Array> access_modes(const Call& call) {
  json::Array modes;
  const auto given = call.flags("access-mode");
  for (const auto& word : given.empty() ? std::vector<std::string>{call.flag("access-mode")} : given) {
    const auto known = std::find_if(std::begin(kModes), std::end(kModes), [&](const auto& mode) {
      return equals_ignore_case(mode.first, word) || equals_ignore_case(mode.second, word);
    });
    if (known == std::end(kModes)) {
      return usage_error(fmt::format("--access-mode {} is not RWO, ROX, RWX or RWOP", quoted(word)));
    }
    modes.emplace_back(known->second);
  }
  return modes;
}

Result<std::string> size_of(const Call& call) {
  const auto text = call.flag("size");
  if (text.empty()) return usage_error("provision-volume needs --size, such as --size 1Gi");
  const auto size = meta::parse_quantity(text);
  if (!size || size->is_negative() || size->is_zero()) {
    return usage_error(fmt::format("--size {} is no size; write 500Mi, 1Gi or 10Gi", quoted(text)));
  }
  return text;
}

// The claim without its selector, which takes the class to write.
Result<json::Value> claim_of(Call& call) {
  CH_TRY_LET(size, size_of(call));
  CH_TRY_LET(modes, access_modes(call));
  CH_TRY_LET(ns, call.ns());
  json::Object spec{{"accessModes", std::move(modes)},
                    {"resources", json::Object{{"requests", json::Object{{"storage", size}}}}}};
  if (const auto name = call.flag("class"); !name.empty()) spec["storageClassName"] = name;
  return json::Value(json::Object{{"apiVersion", volume_claims_kind().version},
                                  {"kind", volume_claims_kind().name},
                                  {"metadata", json::Object{{"name", call.argument(0)}, {"namespace", ns}}},
                                  {"spec", std::move(spec)}});
}

Result<json::Value> class_for(Call& call, const json::Value& claim) {
  if (const auto name = call.flag("class"); !name.empty()) return find_named(call, storage_classes_kind(), "", name);
  std::string why;
  CH_TRY_LET(found, storage_class_of(call, claim, why));
  if (found.is_null())
    return bad_request("no storage class is the default; name one with --class, see: svcat get storageclasses");
  return found;
}

Result<int> show(Call& call, const json::Value& claim, const json::Value& storage_class,
                 const resolve::SelectorResolution& resolution) {
  CH_TRY_LET(format, parse_format(call.flag("output")));
  if (!format.is_table()) {
    CH_TRY(print_object(call.out(), format, claim));
    return 0;
  }
  Details details(call.out(), call.style());
  if (call.is_set("dry-run")) call.out() << "Dry run: nothing was created.\n\n";
  details.add("Name", name_of(claim));
  details.add("Namespace", namespace_of(claim));
  details.add_if("Status", text_at(claim, {"status", "phase"}));
  details.add("Class", name_of(storage_class));
  details.add("Size", text_at(claim, {"spec", "resources", "requests", "storage"}));
  details.add_if("Volume", text_at(claim, {"spec", "volumeName"}));
  details.section("Selector");
  tell_resolution(call, details, resolution);
  return 0;
}

std::optional<Waited> judge_bound(const json::Value& claim) {
  const auto phase = text_at(claim, {"status", "phase"});
  if (phase == "Bound") return Waited::kDone;
  return phase == "Lost" ? std::optional(Waited::kFailed) : std::nullopt;
}

// Why it waits: as its condition says or, where controllers set none, the last thing that happened to it.
std::string state_of(Catalog& catalog, const json::Value& claim) {
  auto phase = text_at(claim, {"status", "phase"});
  if (phase.empty()) phase = "waiting for the controller";
  if (const auto* bound = condition_of(claim, "Bound")) {
    return fmt::format("{} - {}: {}", phase, text_at(*bound, {"reason"}), text_at(*bound, {"message"}));
  }
  const auto events = catalog.list(
      events_kind(), namespace_of(claim),
      {{"involvedObject.kind", std::string(volume_claims_kind().name)}, {"involvedObject.name", name_of(claim)}});
  if (!events.ok() || events->empty()) return phase;
  const auto last = std::max_element(events->begin(), events->end(), [](const json::Value& a, const json::Value& b) {
    return parse_int64(text_at(a, {"metadata", "resourceVersion"})).value_or(0) <
           parse_int64(text_at(b, {"metadata", "resourceVersion"})).value_or(0);
  });
  return fmt::format("{} - {}: {}", phase, text_at(*last, {"reason"}), text_at(*last, {"message"}));
}

Result<int> run_provision_volume(Call& call) {
  CH_TRY(parse_format(call.flag("output")));
  CH_TRY(call.duration("timeout"));
  CH_TRY_LET(claim, claim_of(call));
  CH_TRY_LET(storage_class, class_for(call, claim));
  CH_TRY_LET(options, resolve::read_selector_options(storage_class));
  CH_TRY_LET(selector, build_selector(call.flags("set"), options));
  auto& spec = claim.as_object()["spec"].as_object();
  spec["storageClassName"] = name_of(storage_class);
  if (!selector.is_null()) spec["selector"] = std::move(selector);
  CH_TRY_LET(resolution, resolve_claim(storage_class, claim));
  if (!resolution.ok() && !call.is_set("force")) {
    return bad_request(fmt::format(
        "{}; nothing was created, because a claim's selector cannot be changed later (--force creates it anyway)",
        resolve::problems_text(resolution.problems)));
  }
  if (call.is_set("dry-run")) return show(call, claim, storage_class, resolution);
  CH_TRY_LET(catalog, call.catalog());
  const auto ns = namespace_of(claim);
  CH_TRY_LET(created, catalog->create(volume_claims_kind(), ns, claim));
  const bool late = text_at(storage_class, {"volumeBindingMode"}) == "WaitForFirstConsumer";
  if (late) call.hint("The volume is made when a pod uses the claim.");
  if (!call.is_set("wait") || late) return show(call, created, storage_class, resolution);
  const WaitGoal bound{"bound", judge_bound, [&](const json::Value& now) { return state_of(*catalog, now); }};
  CH_TRY_LET(waited, wait_until(call, volume_claims_kind(), ns, name_of(claim), bound));
  if (waited.how == Waited::kInterrupted) return kInterruptedCode;
  if (waited.how == Waited::kGone) return bad_request(fmt::format("pvc {} was deleted meanwhile", name_of(claim)));
  CH_TRY_LET(shown, show(call, waited.object, storage_class, resolution));
  if (waited.how == Waited::kDone) return shown;
  return bad_request(fmt::format("pvc {0} has lost its volume; see: svcat explain pvc {0} -n {1}", name_of(claim), ns));
}

}  // namespace

Command provision_volume() {
  return {
      .verb = "provision-volume",
      .arguments = "NAME",
      .min_arguments = 1,
      .max_arguments = 1,
      .summary = "Claim a volume, tuned as its storage class allows",
      .details =
          "--set builds the claim's selector: KEY=VALUE, KEY=A,B for one of several, KEY!=A for another one, KEY for "
          "any value, !KEY\nfor none. The end of a key is enough, zone for failure-domain.beta.kubernetes.io/zone. "
          "What there is to set:\nsvcat describe storageclass NAME.",
      .examples = {"provision-volume data --class slow --set zone=us-east-1a --size 1Gi --wait",
                   "provision-volume data --size 10Gi --set zone=us-east-1a,us-east-1b --set enabled=true --dry-run"},
      .flags = flags_of(
          {{{"class", 'c', "NAME", "Storage class; the default one when left out", "", false, Offer::kStorageClasses},
            {"set", 0, "KEY=VALUE", "A property of the volume", "", true},
            {"size", 's', "SIZE", "How large, such as 1Gi"},
            {"access-mode",
             0,
             "MODE",
             "RWO, ROX, RWX or RWOP",
             "RWO",
             true,
             Offer::kWords,
             {"RWO", "ROX", "RWX", "RWOP"}},
            {"force", 0, "", "Create the claim even if its selector cannot be satisfied"},
            {"dry-run", 0, "", "Only show what would be asked for"},
            namespace_flag(),
            output_flag()},
           wait_flags()}),
      .run = run_provision_volume};
}

}  // namespace chandler::svcat
