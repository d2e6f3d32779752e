#include "resolve/label_record.h"

#include <algorithm>

#include "json/reader.h"
#include "json/writer.h"
#include "resolve/label_path.h"

namespace chandler::resolve {
namespace {

constexpr std::string_view kFormer = "former";

json::Value text(std::string_view s) { return json::Value(boost::json::string_view(s.data(), s.size())); }

Former read_former(const json::Value& entry) {
  const auto* value = json::find(entry, kFormer);
  if (value == nullptr) return {};
  if (const auto* s = value->if_string()) return {Former::Kind::kText, std::string(json::view(*s))};
  return {Former::Kind::kNull, ""};
}

void write_former(json::Object& entry, const Former& former) {
  if (former.kind == Former::Kind::kNull) entry[kFormer] = nullptr;
  if (former.kind == Former::Kind::kText) entry[kFormer] = text(former.text);
}

std::optional<LabelEntry> read_entry(const json::Value& value) {
  const auto label = json::string_at(value, "value");
  const auto* owners = json::array_at(value, "owners");
  if (!label || owners == nullptr || owners->empty()) return std::nullopt;
  LabelEntry entry;
  entry.value = *label;
  entry.source = json::string_or(value, "source");
  entry.former = read_former(value);
  for (const auto& owner : *owners) {
    if (!owner.is_string()) return std::nullopt;
    entry.owners.emplace_back(json::view(owner.get_string()));
  }
  std::sort(entry.owners.begin(), entry.owners.end());
  entry.owners.erase(std::unique(entry.owners.begin(), entry.owners.end()), entry.owners.end());
  return entry;
}

std::optional<LabelPlace> read_place(const std::string& path, const json::Value& value) {
  const auto* labels = value.if_object();
  if (labels == nullptr || !LabelPath::parse(path).ok()) return std::nullopt;
  LabelPlace place;
  for (const auto& label : *labels) {
    auto entry = read_entry(label.value());
    if (!entry) return std::nullopt;
    place.emplace(label.key(), std::move(*entry));
  }
  return place;
}

json::Value write_entry(const LabelEntry& entry) {
  json::Object out;
  out["value"] = text(entry.value);
  if (!entry.source.empty()) out["source"] = text(entry.source);
  json::Array owners;
  for (const auto& owner : entry.owners) owners.push_back(text(owner));
  out["owners"] = std::move(owners);
  write_former(out, entry.former);
  return out;
}

}  // namespace

std::optional<LabelRecord> LabelRecord::read(std::string_view bytes) {
  const auto parsed = json::parse(bytes);
  if (!parsed.ok() || !parsed->is_object()) return std::nullopt;
  const auto* places = json::object_at(*parsed, "places");
  const auto* notes = json::object_at(*parsed, "owners");
  if (places == nullptr || notes == nullptr) return std::nullopt;
  LabelRecord record;
  for (const auto& entry : *places) {
    const std::string path = entry.key();
    auto place = read_place(path, entry.value());
    if (!place) return std::nullopt;
    record.places.emplace(path, std::move(*place));
  }
  if (const auto* made = json::object_at(*parsed, "made")) {
    for (const auto& entry : *made) {
      const std::string path = entry.key();
      if (!LabelPath::parse(path).ok()) return std::nullopt;
      record.made.emplace(path, entry.value() == json::Value("null"));
    }
  }
  for (const auto& entry : *notes) record.notes.emplace(entry.key(), entry.value());
  const auto annotations = json::string_at(*parsed, "annotations");
  record.annotations.kind = !annotations             ? Former::Kind::kText
                            : *annotations == "null" ? Former::Kind::kNull
                                                     : Former::Kind::kAbsent;
  return record;
}

std::string LabelRecord::write() const {
  json::Object out;
  json::Object written;
  for (const auto& [path, place] : places) {
    json::Object labels;
    for (const auto& [key, entry] : place) labels[key] = write_entry(entry);
    written[path] = std::move(labels);
  }
  out["places"] = std::move(written);
  if (!made.empty()) {
    json::Object maps;
    for (const auto& [path, was_null] : made) maps[path] = was_null ? "null" : "absent";
    out["made"] = std::move(maps);
  }
  json::Object owners;
  for (const auto& [owner, note] : notes) owners[owner] = note;
  out["owners"] = std::move(owners);
  if (annotations.kind == Former::Kind::kAbsent) out["annotations"] = "absent";
  if (annotations.kind == Former::Kind::kNull) out["annotations"] = "null";
  return json::write(out);
}

}  // namespace chandler::resolve
