#include "meta/protobuf/table.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::meta {
namespace {

constexpr std::pair<std::string_view, ProtobufType> kTypes[] = {
    {"string", ProtobufType::kString},
    {"bytes", ProtobufType::kBytes},
    {"bool", ProtobufType::kBool},
    {"int32", ProtobufType::kInt32},
    {"int64", ProtobufType::kInt64},
    {"double", ProtobufType::kDouble},
    {"json", ProtobufType::kJson},
    {"time", ProtobufType::kTime},
    {"micro-time", ProtobufType::kMicroTime},
    {"int-or-string", ProtobufType::kIntOrString},
};

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

// "data=2 map<string,bytes>" cut at the commas that stand between fields, not inside a type.
std::vector<std::string_view> split_fields(std::string_view text) {
  std::vector<std::string_view> fields;
  bool in_type = false;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && !in_type)) {
      fields.push_back(trim(text.substr(start, i - start)));
      start = i + 1;
    } else if (text[i] == '<' || text[i] == '>') {
      in_type = text[i] == '<';
    }
  }
  if (fields.size() == 1 && fields[0].empty()) fields.clear();
  return fields;
}

}  // namespace

// Collects the lines first: a message may be named before its own line.
class ProtobufTableParser {
 public:
  Result<ProtobufTable> parse(std::string_view text) {
    CH_TRY(collect(text));
    for (const auto& [name, body] : bodies_) {
      indexes_.emplace(name, table_.messages_.size());
      table_.messages_.push_back({.name = std::string(name), .oneof = false, .fields = {}});
    }
    for (auto& message : table_.messages_) CH_TRY(read_message(message, bodies_.at(message.name)));
    for (const auto& [kind, message] : kinds_) {
      CH_TRY_LET(index, index_of(message));
      table_.kinds_.emplace(kind, index);
    }
    return std::move(table_);
  }

 private:
  static Error wrong(std::string_view where, std::string_view what) {
    return internal_error(fmt::format("protobuf table: {}: {}", where, what));
  }

  Result<void> collect(std::string_view text) {
    std::string* open = nullptr;  // the message that an indented line continues
    for (const auto line : split(text, '\n')) {
      const auto content = trim(line);
      if (content.empty() || content.front() == '#') continue;
      const auto end_of_word = content.find_first_of(": ");
      if (end_of_word == std::string_view::npos) return wrong(content, "neither a kind nor a message");
      const auto word = content.substr(0, end_of_word);
      const auto rest = trim(content.substr(end_of_word + 1));
      if (line.front() == ' ') {
        if (open == nullptr) return wrong(content, "continues no message");
        open->append(" ").append(content);
      } else if (content[end_of_word] == ':') {
        const auto [place, fresh] = bodies_.emplace(word, rest);
        if (!fresh) return wrong(word, "is there twice");
        open = &place->second;
      } else {
        if (!kinds_.emplace(word, rest).second) return wrong(word, "is there twice");
        open = nullptr;
      }
    }
    return {};
  }

  Result<void> read_message(ProtobufMessage& message, std::string_view body) {
    message.oneof = take_prefix(body, "oneof ");
    for (const auto text : split_fields(body)) {
      CH_TRY_LET(field, read_field(message.name, text));
      if (message.find(field.number) != nullptr) return wrong(message.name, fmt::format("{} repeats a number", text));
      message.fields.push_back(std::move(field));
    }
    return {};
  }

  // name=number type
  Result<ProtobufField> read_field(std::string_view message, std::string_view text) {
    const auto equals = text.find('=');
    const auto blank = text.find(' ');
    if (equals == std::string_view::npos || equals == 0 || blank == std::string_view::npos || blank < equals) {
      return wrong(message, fmt::format("'{}' is not name=number type", text));
    }
    const auto number = parse_uint64(text.substr(equals + 1, blank - equals - 1));
    if (!number || *number == 0 || *number >= (1u << 29)) {
      return wrong(message, fmt::format("'{}' has no field number", text));
    }
    ProtobufField field;
    field.name = text.substr(0, equals);
    field.number = static_cast<uint32_t>(*number);

    auto type = trim(text.substr(blank));
    if (take_prefix(type, "inline ")) {
      field.shape = ProtobufShape::kInline;
    } else if (take_prefix(type, "[]")) {
      field.shape = ProtobufShape::kList;
    } else if (take_prefix(type, "map<string,") && take_suffix(type, ">")) {
      field.shape = ProtobufShape::kMap;
    }
    field.keeps_zero = take_suffix(type, "?");
    const auto* scalar = std::find_if(std::begin(kTypes), std::end(kTypes), [&](auto& t) { return t.first == type; });
    if (scalar != std::end(kTypes)) {
      if (field.shape == ProtobufShape::kInline) return wrong(message, fmt::format("'{}' is no message", text));
      field.type = scalar->second;
      return field;
    }
    CH_TRY_LET(index, index_of(type));
    field.type = ProtobufType::kMessage;
    field.message = index;
    return field;
  }

  Result<size_t> index_of(std::string_view message) const {
    const auto found = indexes_.find(message);
    if (found == indexes_.end()) return wrong(message, "no such message");
    return found->second;
  }

  ProtobufTable table_;
  std::map<std::string, std::string, std::less<>> bodies_;  // by message: its fields as text
  std::map<std::string, std::string, std::less<>> kinds_;   // by kind: the name of its message
  std::map<std::string, size_t, std::less<>> indexes_;
};

const ProtobufField* ProtobufMessage::find(uint32_t number) const {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](auto& field) { return field.number == number; });
  return found == fields.end() ? nullptr : &*found;
}

Result<ProtobufTable> ProtobufTable::parse(std::string_view text) { return ProtobufTableParser().parse(text); }

const ProtobufMessage* ProtobufTable::find(std::string_view api_version, std::string_view kind) const {
  auto found = kinds_.find(fmt::format("{}/{}", api_version, kind));
  if (found == kinds_.end()) found = kinds_.find(fmt::format("*/{}", kind));
  return found == kinds_.end() ? nullptr : &messages_[found->second];
}

}  // namespace chandler::meta
