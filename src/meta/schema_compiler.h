// Turns schema documents into SchemaNodes. One compiler per document; reports every fault it meets and goes on, so that
// the author of a schema sees them all at once. Private to this folder.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "meta/field_error.h"
#include "meta/schema.h"
#include "meta/schema_node.h"

namespace chandler::meta {

class SchemaCompiler {
 public:
  SchemaCompiler(const json::Value& document, const CompileOptions& options, std::shared_ptr<SchemaArena> arena,
                 FieldErrors& errors);

  // Compiles the document and everything it refers to inside itself into `node`.
  void compile_document(SchemaNode& node, const Path& path);

  // The node of a fragment, compiled on first use; null when it does not exist.
  static const SchemaNode* fragment(Fragments& fragments, std::string_view name, FieldErrors& errors);

 private:
  void fill(SchemaNode& node, const json::Value& schema, const Path& path);
  void fill_types(SchemaNode& node, const json::Value& schema, const Path& path);
  void fill_properties(SchemaNode& node, const json::Value& schema, const Path& path);
  void fill_items(SchemaNode& node, Constraints& constraints, const json::Value& schema, const Path& path);
  void fill_extensions(SchemaNode& node, const json::Value& schema, const Path& path);
  void fill_default(SchemaNode& node, const json::Value& schema);
  void fill_constraints(Constraints& constraints, const json::Value& schema, const Path& path);
  void fill_bounds(Constraints& constraints, const json::Value& schema, const Path& path);
  void fill_json_schema(JsonSchemaKeywords& keywords, const json::Value& schema, const Path& path);
  void fill_conditions(JsonSchemaKeywords& keywords, const json::Value& schema, const Path& path);

  const SchemaNode* compile(const json::Value& schema, const Path& path);
  const SchemaNode* compile_fragment_ref(const json::Value& schema, std::string_view ref, const Path& path);
  const SchemaNode* compile_local_ref(std::string_view ref, const Path& path);
  std::vector<const SchemaNode*> compile_list(const json::Value& schema, std::string_view keyword, const Path& path);
  const SchemaNode* compile_member(const json::Value& schema, std::string_view keyword, const Path& path);
  Pattern compile_pattern(std::string_view text, const Path& path);

  // A keyword of the wanted type; a fault and nothing when it has another one.
  std::optional<bool> flag(const json::Value& schema, std::string_view keyword, const Path& path);
  std::optional<uint64_t> count(const json::Value& schema, std::string_view keyword, const Path& path);
  std::optional<long double> number(const json::Value& schema, std::string_view keyword, const Path& path);
  std::optional<std::string_view> text(const json::Value& schema, std::string_view keyword, const Path& path);
  const json::Array* list(const json::Value& schema, std::string_view keyword, const Path& path);
  const json::Object* object(const json::Value& schema, std::string_view keyword, const Path& path);
  std::vector<std::string> texts(const json::Value& schema, std::string_view keyword, const Path& path);
  std::vector<std::string> texts_of(const json::Array& values, const Path& path);

  const json::Value& document_;
  const CompileOptions& options_;
  bool built_in_;
  std::shared_ptr<SchemaArena> arena_;
  FieldErrors& errors_;

  // Targets of references inside the document: known at once, filled from a queue, so that no chain of references makes
  // the compiler recurse.
  struct Target {
    SchemaNode* node = nullptr;
    const json::Value* schema = nullptr;
    Path path;
  };
  std::map<const json::Value*, SchemaNode*> targets_;
  std::vector<Target> queue_;
};

// The value of any JSON number.
std::optional<long double> number_of(const json::Value& value);

}  // namespace chandler::meta
