#include "json/yaml_document.h"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <map>

namespace chandler::json {
namespace {

// One event of libyaml, freed at the end of its scope.
struct Event {
  yaml_event_t data{};
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(&data); }

  size_t line() const { return data.start_mark.line + 1; }
};

std::string text_of(const yaml_char_t* text) {
  return text == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(text));
}

}  // namespace

struct YamlStream::Parser {
  yaml_parser_t data{};
  size_t max_depth = 0;

  // Of the document being read.
  YamlDocument document;
  std::map<std::string, size_t> anchors;
  std::vector<size_t> open;  // the collections around the current place

  Result<void> read(Event& event);
  Result<void> compose();
  Result<size_t> add(const Event& event);
  Result<void> attach(const Event& event);
};

Error yaml_error(size_t line, std::string_view what) {
  return bad_request(fmt::format("invalid YAML at line {}: {}", line, what));
}

YamlStream::YamlStream(std::string_view text, size_t max_depth) : parser_(new Parser) {
  CH_CHECK(yaml_parser_initialize(&parser_->data) == 1);
  parser_->max_depth = max_depth;
  yaml_parser_set_encoding(&parser_->data, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser_->data, reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

YamlStream::~YamlStream() {
  yaml_parser_delete(&parser_->data);
  delete parser_;
}

Result<void> YamlStream::Parser::read(Event& event) {
  if (yaml_parser_parse(&data, &event.data) == 1) return {};
  std::string what = data.problem == nullptr ? "cannot be read" : data.problem;
  if (data.context != nullptr) what = fmt::format("{} ({})", what, data.context);
  return yaml_error(data.problem_mark.line + 1, what);
}

Result<std::optional<YamlDocument>> YamlStream::next() {
  for (;;) {
    Event event;
    CH_TRY(parser_->read(event));
    if (event.data.type == YAML_STREAM_END_EVENT || event.data.type == YAML_NO_EVENT)
      return std::optional<YamlDocument>();
    if (event.data.type == YAML_DOCUMENT_START_EVENT) {
      CH_TRY(parser_->compose());
      return std::optional<YamlDocument>(std::exchange(parser_->document, {}));
    }
  }
}

// Reads up to the end of the document. A loop with a stack, not a recursion: the depth is checked where a node is
// added.
Result<void> YamlStream::Parser::compose() {
  document = {};
  anchors.clear();
  open.clear();
  for (;;) {
    Event event;
    CH_TRY(read(event));
    switch (event.data.type) {
      case YAML_DOCUMENT_END_EVENT:
        return {};
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        open.pop_back();
        break;
      default:
        CH_TRY(attach(event));
    }
  }
}

Result<void> YamlStream::Parser::attach(const Event& event) {
  CH_TRY_LET(index, add(event));
  if (!open.empty()) document.nodes[open.back()].children.push_back(index);
  const YamlNode::Kind kind = document.nodes[index].kind;
  if (kind == YamlNode::Kind::kSequence || kind == YamlNode::Kind::kMapping) {
    if (open.size() >= max_depth)
      return yaml_error(event.line(), fmt::format("nested deeper than {} levels", max_depth));
    open.push_back(index);
  }
  return {};
}

Result<size_t> YamlStream::Parser::add(const Event& event) {
  YamlNode node;
  node.line = event.line();
  const yaml_char_t* anchor = nullptr;
  switch (event.data.type) {
    case YAML_SCALAR_EVENT: {
      const auto& scalar = event.data.data.scalar;
      node.kind = YamlNode::Kind::kScalar;
      node.tag = text_of(scalar.tag);
      node.plain = scalar.style == YAML_PLAIN_SCALAR_STYLE && node.tag.empty();
      node.text.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
      anchor = scalar.anchor;
      break;
    }
    case YAML_SEQUENCE_START_EVENT:
      node.kind = YamlNode::Kind::kSequence;
      anchor = event.data.data.sequence_start.anchor;
      break;
    case YAML_MAPPING_START_EVENT:
      node.kind = YamlNode::Kind::kMapping;
      anchor = event.data.data.mapping_start.anchor;
      break;
    case YAML_ALIAS_EVENT: {
      const std::string name = text_of(event.data.data.alias.anchor);
      const auto target = anchors.find(name);
      // Without the name: it may be a secret that begins with * and lacks its quotes.
      if (target == anchors.end()) {
        return yaml_error(node.line, "unknown anchor; a value that begins with * must be in quotes");
      }
      if (std::find(open.begin(), open.end(), target->second) != open.end()) {
        return yaml_error(node.line, "the value of an anchor contains itself");
      }
      node.kind = YamlNode::Kind::kAlias;
      node.children.push_back(target->second);
      break;
    }
    default:
      return yaml_error(node.line, "unexpected content");
  }
  const size_t index = document.nodes.size();
  document.nodes.push_back(std::move(node));
  if (anchor != nullptr) anchors[text_of(anchor)] = index;
  return index;
}

}  // namespace chandler::json
