#include <fmt/format.h>

#include "base/text.h"
#include "json/json_path.h"
#include "json/json_path_program.h"
#include "json/json_path_strict.h"
#include "json/writer.h"

namespace chandler::json {
namespace {

constexpr size_t kMaxNesting = 32;

// A piece of a template. A range holds the pieces up to its end.
struct Piece {
  enum class Kind { kText, kPath, kRange };
  Kind kind = Kind::kText;
  std::string text;
  PathExpression path;
  std::vector<Piece> body;
};

// Past the brace that closes the action beginning at `at`; braces in quotes do not count.
std::optional<size_t> action_end(std::string_view text, size_t at) {
  char quote = '\0';
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\') {
      ++at;
    } else if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '}') {
      return at + 1;
    }
  }
  return std::nullopt;
}

std::string unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
  }
  return out;
}

class TemplateParser {
 public:
  explicit TemplateParser(std::string_view text) : text_(text) {}

  // The pieces up to the end of the text or, inside a range, up to its {end}.
  Result<std::vector<Piece>> parse(size_t nesting) {
    std::vector<Piece> pieces;
    while (at_ < text_.size()) {
      const size_t open = std::min(text_.find('{', at_), text_.size());
      if (open > at_) pieces.emplace_back().text = text_.substr(at_, open - at_);
      at_ = open;
      if (at_ == text_.size()) break;
      const auto end = action_end(text_, at_ + 1);
      if (!end) return error("} is missing");
      const std::string_view action = trim(text_.substr(at_ + 1, *end - at_ - 2));
      if (action == "end" && nesting == 0) return error("end without range");
      at_ = *end;
      if (action == "end") return pieces;
      CH_TRY_LET(piece, parse_action(action, nesting));
      pieces.push_back(std::move(piece));
    }
    if (nesting > 0) return error("a range has no {end}");
    return pieces;
  }

 private:
  Result<Piece> parse_action(std::string_view action, size_t nesting) {
    Piece piece;
    if (action.size() >= 2 && (action[0] == '"' || action[0] == '\'') && action.back() == action[0]) {
      piece.text = unescape(action.substr(1, action.size() - 2));
      return piece;
    }
    piece.kind = Piece::Kind::kPath;
    if (action.starts_with("range ")) {
      if (nesting == kMaxNesting) return error("ranges are nested too deep");
      piece.kind = Piece::Kind::kRange;
      action.remove_prefix(6);
      CH_TRY_LET(body, parse(nesting + 1));
      piece.body = std::move(body);
    }
    CH_TRY_LET(path, parse_path(trim(action)));
    piece.path = std::move(path);
    return piece;
  }

  Error error(std::string_view what) const {
    return bad_request(fmt::format("invalid JSONPath template at offset {}: {}", at_, what));
  }

  std::string_view text_;
  size_t at_ = 0;
};

class Renderer {
 public:
  enum class Missing { kSkip, kStop };  // what happens at a path that leads nowhere

  Renderer(const Value& root, size_t max_bytes, size_t max_visits, Missing missing)
      : root_(root), max_bytes_(max_bytes), missing_(missing), visits_left_(max_visits) {}

  // Each piece takes a visit: one without text and without a result costs time too.
  void render(const std::vector<Piece>& pieces, const Value& here) {
    for (const Piece& piece : pieces) {
      if (is_over()) return;
      --visits_left_;
      if (piece.kind == Piece::Kind::kText) {
        out += piece.text;
        continue;
      }
      const auto places = walk_path(piece.path, root_, here, visits_left_);
      if (piece.kind == Piece::Kind::kPath) {
        complete = complete && !places.empty();
        render_values(places);
        continue;
      }
      for (const Value* place : places) {
        if (is_over()) return;
        render(piece.body, *place);
      }
    }
  }

  // The document is too large for the paths: something may be missing.
  bool exhausted() const { return visits_left_ == 0; }

  std::string out;
  bool complete = true;  // every path has led somewhere

 private:
  bool is_over() const { return exhausted() || out.size() > max_bytes_ || (missing_ == Missing::kStop && !complete); }

  void render_values(const std::vector<const Value*>& places) {
    bool first = true;
    for (const Value* place : places) {
      if (out.size() > max_bytes_) return;
      if (!first) out += ' ';
      first = false;
      if (const String* text = place->if_string()) {
        out += view(*text);
      } else {
        write_to(out, *place);
      }
    }
  }

  const Value& root_;
  size_t max_bytes_;
  Missing missing_;
  size_t visits_left_;
};

}  // namespace

struct JsonPathTemplate::Program {
  std::vector<Piece> pieces;
};

JsonPathTemplate::JsonPathTemplate(std::unique_ptr<Program> program) : program_(std::move(program)) {}
JsonPathTemplate::JsonPathTemplate(JsonPathTemplate&&) noexcept = default;
JsonPathTemplate& JsonPathTemplate::operator=(JsonPathTemplate&&) noexcept = default;
JsonPathTemplate::~JsonPathTemplate() = default;

Result<JsonPathTemplate> JsonPathTemplate::parse(std::string_view text) {
  auto program = std::make_unique<Program>();
  CH_TRY_LET(pieces, TemplateParser(text).parse(0));
  program->pieces = std::move(pieces);
  return JsonPathTemplate(std::move(program));
}

std::string JsonPathTemplate::render(const Value& document) const {
  // The caller's own template and document, which may be a long list.
  constexpr size_t kMaxVisits = 1'000 * kMaxPathVisits;
  Renderer renderer(document, std::string::npos, kMaxVisits, Renderer::Missing::kSkip);
  renderer.render(program_->pieces, document);
  return std::move(renderer.out);
}

Result<std::string> render_strict(std::string_view text, const Value& document, size_t max_bytes) {
  CH_TRY_LET(pieces, TemplateParser(text).parse(0));
  Renderer renderer(document, max_bytes, kMaxPathVisits, Renderer::Missing::kStop);
  renderer.render(pieces, document);
  if (renderer.out.size() > max_bytes) {
    return too_large(fmt::format("the JSONPath template gives more than {} bytes", max_bytes));
  }
  if (renderer.exhausted()) return too_large("the JSONPath template visits too many values");
  if (!renderer.complete) return bad_request("the JSONPath template leads to nothing");
  return std::move(renderer.out);
}

}  // namespace chandler::json
