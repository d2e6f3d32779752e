// Three lines: a live object, its managedFields, a configuration to be applied. Nothing crashes; FieldsV1 that can be
// read is written the same, and edited as text it says what sets say; applying with force succeeds, and applying the
// same again then changes nothing.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/check.h"
#include "json/reader.h"
#include "json/writer.h"
#include "meta/apply/changes.h"
#include "meta/apply/compare.h"
#include "meta/apply/fields_edit.h"
#include "meta/apply/managed_list.h"
#include "meta/apply/server_side_apply.h"
#include "meta/schema.h"

namespace {

using namespace chandler;

// Short names decide, so that random input meets every rule.
const meta::SchemaNode* letters() {
  static const meta::SchemaPtr schema = [] {
    const auto document = json::parse(R"({"type":"object","properties":{
      "m":{"type":"object","additionalProperties":{"type":"string"}},
      "a":{"type":"object","x-kubernetes-map-type":"atomic","additionalProperties":{"type":"string"}},
      "s":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
      "u":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
      "k":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["n","p"],
        "items":{"type":"object","required":["n"],"properties":{
          "n":{"type":"string"},"p":{"type":"string","default":"x"},"v":{"type":"string"},
          "m":{"type":"object","additionalProperties":{"type":"string"}}}}}}})");
    CH_CHECK(document.ok());
    meta::FieldErrors errors;
    auto compiled = meta::compile_schema(*document, meta::Path("s"), {}, errors);
    CH_CHECK(compiled != nullptr);
    return compiled;
  }();
  return schema.get();
}

void check_edit(const meta::FieldSet& owned, const json::Value& old, const json::Value& now, bool is_writers) {
  std::string text;
  owned.write_to(text);
  const auto changes = meta::Changes::between(letters(), old, now, {});
  const auto edited = meta::edit_fields(text, letters(), changes, is_writers);
  auto plain = owned;
  meta::fit_to_schema(letters(), plain);
  plain.subtract(changes.places(meta::Changes::kRemoved));
  plain.subtract(changes.places(meta::Changes::kTaken));
  if (is_writers) plain.unite(changes.places(meta::Changes::kTaken));
  CH_CHECK(edited && *edited == json::write(plain.to_json()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto next_line = [&] {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    return line;
  };
  const auto live = json::parse(next_line());
  const auto list = json::parse(next_line());
  const auto config = json::parse(next_line());
  if (!live.ok() || !list.ok() || !config.ok() || !live->is_object() || !config->is_object()) return 0;

  auto managed = meta::read_managed_fields(*list);
  if (managed.ok()) {
    const auto written = meta::write_managed_fields(*managed);
    const auto again = meta::read_managed_fields(written);
    CH_CHECK(again.ok() && json::write(meta::write_managed_fields(*again)) == json::write(written));
    for (const auto& entry : *managed) {
      for (const bool is_writers : {false, true}) check_edit(entry.fields, *live, *config, is_writers);
    }
  }
  (void)meta::is_managed_fields_reset(*list);

  std::string fields;
  const bool any = meta::write_fields_of_new(fields, letters(), *live, {});
  CH_CHECK(json::write(meta::fields_of_new(letters(), *live, {}).to_json()) == (any ? fields : "{}"));
  CH_CHECK(meta::compare_fields(letters(), *live, *live, {}).empty());

  meta::ApplyRequest request;
  request.schema = letters();
  request.manager = {"fuzz", "v1", "", "2026-11-15T12:00:00Z"};
  if (list->is_array()) {
    const auto stored = json::write(*list);
    meta::ManagedList record(stored);
    (void)record.record_update(request, *live, *config);
    if (managed.ok()) {  // what was readable stays so
      const auto after = record.text();
      const auto value = json::parse(after.empty() ? "[]" : after);
      CH_CHECK(value.ok() && meta::read_managed_fields(*value).ok());
    }
  }
  const auto before = managed.ok() ? *managed : meta::ManagedFields();
  (void)meta::apply_config(request, *live, *config, before);
  request.force = true;
  const auto once = meta::apply_config(request, *live, *config, before);
  CH_CHECK(once.ok() == meta::fields_of_config(letters(), *config).ok());
  if (!once.ok()) return 0;
  CH_CHECK(once->object.get_object().contains("metadata") ==
           (live->get_object().contains("metadata") || config->get_object().contains("metadata")));
  if (once->managed.empty()) return 0;
  request.force = false;
  const auto twice = meta::apply_config(request, once->object, *config, once->managed);
  CH_CHECK(twice.ok());
  CH_CHECK(meta::compare_fields(letters(), once->object, twice->object, {}).empty());
  return 0;
}
