#include "resolve/catalog_restrictions.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "resolve/parameter_bounds.h"

namespace chandler::resolve {
namespace {

constexpr size_t kMaxTexts = 1000;
constexpr size_t kMaxText = 64 * 1024;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_word(char c) { return !is_blank(c) && std::string_view(",()=!<>\"'").find(c) == std::string_view::npos; }

void append_value(std::string& out, std::string_view value) {
  if (!value.empty() && std::all_of(value.begin(), value.end(), is_word)) {
    out += value;
    return;
  }
  out += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

}  // namespace

std::vector<std::string_view> restriction_properties(RestrictedKind kind) {
  std::vector<std::string_view> names = {"name", "spec.externalName", "spec.externalID"};
  if (kind == RestrictedKind::kClass) return names;
  names.push_back("spec.free");
  names.push_back(kind == RestrictedKind::kClusterPlan ? "spec.clusterServiceClass.name" : "spec.serviceClass.name");
  return names;
}

class CatalogRestrictions::Parser {
 public:
  Parser(std::string_view text, RestrictedKind kind) : text_(text), kind_(kind) {}

  Result<void> parse(std::vector<Requirement>& requirements) {
    if (text_.size() > kMaxText) return fault(0, fmt::format("is longer than {} bytes", kMaxText));
    skip_blanks();
    if (at_ == text_.size()) return {};
    while (true) {
      CH_TRY_LET(requirement, parse_requirement());
      requirements.push_back(std::move(requirement));
      skip_blanks();
      if (at_ == text_.size()) return {};
      if (text_[at_] != ',') return fault(at_, "expected ',' or the end; a value with other characters needs quotes");
      ++at_;
    }
  }

 private:
  Result<Requirement> parse_requirement() {
    Requirement requirement;
    skip_blanks();
    const size_t start = at_;
    requirement.key = take_word();
    if (requirement.key.empty()) return fault(start, "expected a property");
    CH_TRY(find_property(requirement, start));
    CH_TRY(parse_operator(requirement));
    if (requirement.property == Property::kFree) {
      for (const auto& value : requirement.values) {
        if (value != "true" && value != "false") return fault(start, "spec.free is compared with true or false only");
      }
    }
    std::sort(requirement.values.begin(), requirement.values.end());
    requirement.values.erase(std::unique(requirement.values.begin(), requirement.values.end()),
                             requirement.values.end());
    return requirement;
  }

  Result<void> find_property(Requirement& requirement, size_t start) const {
    const auto names = restriction_properties(kind_);
    const auto found = std::find(names.begin(), names.end(), requirement.key);
    if (found != names.end()) {
      requirement.property = static_cast<Property>(found - names.begin());
      return {};
    }
    std::string known;
    for (const auto name : names) known.append(known.empty() ? "" : ", ").append(name);
    return fault(start, fmt::format("{} is not a property that can be restricted; use one of {}",
                                    shown_key(requirement.key), known));
  }

  Result<void> parse_operator(Requirement& requirement) {
    skip_blanks();
    const size_t start = at_;
    if (take("==") || take("=")) return parse_single(requirement);
    if (take("!=")) {
      requirement.negated = true;
      return parse_single(requirement);
    }
    const std::string_view word = take_word();
    if (word != "in" && word != "notin") return fault(start, "expected =, ==, !=, in or notin");
    requirement.negated = word == "notin";
    return parse_set(requirement);
  }

  Result<void> parse_single(Requirement& requirement) {
    CH_TRY_LET(value, parse_value());
    requirement.values.push_back(std::move(value));
    return {};
  }

  // Values may be empty, also all of them, as in a label selector.
  Result<void> parse_set(Requirement& requirement) {
    skip_blanks();
    if (!take("(")) return fault(at_, "expected '('");
    while (true) {
      CH_TRY(parse_single(requirement));
      skip_blanks();
      if (take(")")) return {};
      if (!take(",")) return fault(at_, "expected ',' or ')'; a value with other characters needs quotes");
    }
  }

  Result<std::string> parse_value() {
    skip_blanks();
    if (at_ == text_.size() || (text_[at_] != '"' && text_[at_] != '\'')) return std::string(take_word());
    const size_t start = at_;
    const char quote = text_[at_++];
    std::string value;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == quote) {
        ++at_;
        return value;
      }
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      value += text_[at_];
    }
    return fault(start, "the quote has no end");
  }

  std::string_view take_word() {
    const size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  bool take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  static Error fault(size_t at, std::string_view what) {
    return bad_request(fmt::format("at position {}: {}", at + 1, what));
  }

  std::string_view text_;
  RestrictedKind kind_;
  size_t at_ = 0;
};

std::optional<CatalogRestrictions> CatalogRestrictions::parse(std::span<const std::string> texts, RestrictedKind kind,
                                                              const meta::Path& path, meta::FieldErrors& errors) {
  if (texts.size() > kMaxTexts) {
    errors.too_many(path, texts.size(), kMaxTexts);
    return std::nullopt;
  }
  CatalogRestrictions restrictions;
  bool sound = true;
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto parsed = Parser(texts[i], kind).parse(restrictions.requirements_);
    if (parsed.ok()) continue;
    errors.invalid(path.index(i), texts[i], parsed.error().message);
    sound = false;
  }
  if (!sound) return std::nullopt;
  for (const auto& requirement : restrictions.requirements_) {
    auto& allowed = restrictions.allowed_.try_emplace(requirement.property, ValueSet::everything()).first->second;
    if (requirement.negated) {
      allowed.drop(requirement.values);
    } else {
      allowed.keep(requirement.values);
    }
  }
  return restrictions;
}

bool CatalogRestrictions::matches(const CatalogEntry& entry) const {
  const auto value_of = [&](Property property) -> std::string_view {
    switch (property) {
      case Property::kName:
        return entry.name;
      case Property::kExternalName:
        return entry.external_name;
      case Property::kExternalId:
        return entry.external_id;
      case Property::kFree:
        return entry.free ? "true" : "false";
      case Property::kClassName:
        break;
    }
    return entry.class_name;
  };
  return std::all_of(allowed_.begin(), allowed_.end(),
                     [&](const auto& allowed) { return allowed.second.has(value_of(allowed.first)); });
}

std::string CatalogRestrictions::str() const {
  std::string out;
  for (const auto& requirement : requirements_) {
    if (!out.empty()) out += ',';
    out += requirement.key;
    if (requirement.values.size() == 1) {
      out += requirement.negated ? "!=" : "=";
      append_value(out, requirement.values[0]);
      continue;
    }
    out += requirement.negated ? " notin (" : " in (";
    for (size_t i = 0; i < requirement.values.size(); ++i) {
      if (i > 0) out += ',';
      append_value(out, requirement.values[i]);
    }
    out += ')';
  }
  return out;
}

}  // namespace chandler::resolve
