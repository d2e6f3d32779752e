#include <fmt/format.h>

#include <unordered_set>

#include "base/text_hash.h"
#include "json/patch.h"
#include "json/patch_error.h"
#include "json/strategic_list.h"
#include "json/writer.h"

namespace chandler::json {
namespace {

constexpr std::string_view kPatch = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kSetElementOrder = "$setElementOrder/";
constexpr std::string_view kDeleteFromPrimitiveList = "$deleteFromPrimitiveList/";

using Node = MergeRules::Node;
using ListRule = MergeRules::ListRule;

// Bytes of elements that are merged again, because the patch names them more than once.
constexpr size_t kMaxRepeated = 32 * 1024 * 1024;

enum class Directive { kMerge, kReplace, kDelete };

// Merge unless `$patch` says otherwise.
Result<Directive> directive_of(const Object& patch) {
  const Value* directive = patch.if_contains(kPatch);
  if (directive == nullptr) return Directive::kMerge;
  const std::string_view name = directive->is_string() ? view(directive->get_string()) : "";
  if (name == "merge") return Directive::kMerge;
  if (name == "replace") return Directive::kReplace;
  if (name == "delete") return Directive::kDelete;
  return bad_request("unknown $patch directive; there are merge, replace and delete");
}

class Merger {
 public:
  explicit Merger(const MergeRules& rules) : rules_(rules) {}

  Result<void> merge_map(Object& target, const Object& patch, Node node);

 private:
  Result<void> merge_member(Object& target, std::string_view key, const Object& patch, Node node);
  Result<void> merge_list(Array& target, const Array& patch, const Value* order, Node node);
  Result<void> replace_list(Array& target, const Array& patch, Node item);
  Result<Value> fresh(const Value& patch, const Storage& storage, Node node);
  Result<void> spend(const Value& element);

  Node member(Node node, std::string_view key) const { return node == nullptr ? nullptr : rules_.member(node, key); }
  Node item(Node node) const { return node == nullptr ? nullptr : rules_.item(node); }
  ListRule rule(Node node) const { return node == nullptr ? ListRule{} : rules_.rule(node); }

  const MergeRules& rules_;
  size_t repeats_left_ = kMaxRepeated;
};

bool is_directive(std::string_view key) {
  return key == kPatch || key == kRetainKeys || key.starts_with(kSetElementOrder) ||
         key.starts_with(kDeleteFromPrimitiveList);
}

// `$retainKeys` names all members that may remain, so it must name those that the patch sets.
Result<void> retain_keys(Object& target, const Object& patch) {
  const Value* directive = patch.if_contains(kRetainKeys);
  if (directive == nullptr) return {};
  if (!directive->is_array()) return bad_request("$retainKeys must be a list of names");
  std::unordered_set<std::string_view, TextHash> retained;
  for (const Value& name : directive->get_array()) {
    if (!name.is_string()) return bad_request("$retainKeys must be a list of names");
    retained.insert(view(name.get_string()));
  }
  for (const auto& member : patch) {
    if (member.value().is_null() || is_directive(member.key()) || retained.contains(member.key())) continue;
    return patch_refused(
        fmt::format("$retainKeys does not name \"{}\", which the patch sets", std::string_view(member.key())));
  }
  for (auto at = target.begin(); at != target.end();) at = retained.contains(at->key()) ? at + 1 : target.erase(at);
  return {};
}

Result<void> delete_scalars(Object& target, std::string_view field, const Value& directive) {
  if (!directive.is_array()) return bad_request("$deleteFromPrimitiveList must be a list of scalars");
  StableTextSet gone;
  for (const Value& scalar : directive.get_array()) {
    if (scalar.is_structured()) return bad_request("$deleteFromPrimitiveList must be a list of scalars");
    gone.insert(write(scalar));
  }
  Value* list = target.if_contains(field);
  if (list == nullptr || !list->is_array()) return {};
  Array kept(target.storage());
  for (Value& element : list->get_array()) {
    if (!gone.contains(write(element))) kept.push_back(std::move(element));
  }
  *list = std::move(kept);
  return {};
}

Result<void> order_list(Array& list, const Value& order, const ListRule& rule) {
  if (!rule.merge) return {};
  CH_TRY_LET(wanted, read_order(order, rule.key, {}));
  arrange(list, rule.key, wanted, list.size());
  return {};
}

Result<void> Merger::merge_map(Object& target, const Object& patch, Node node) {
  CH_TRY(retain_keys(target, patch));
  for (const auto& change : patch) {
    const std::string_view key = change.key();
    if (key == kPatch || key == kRetainKeys) continue;
    if (key.starts_with(kDeleteFromPrimitiveList)) {
      CH_TRY(delete_scalars(target, key.substr(kDeleteFromPrimitiveList.size()), change.value()));
    } else if (key.starts_with(kSetElementOrder)) {
      // Together with a list it belongs to the list's own merge.
      const std::string_view field = key.substr(kSetElementOrder.size());
      Value* list = target.if_contains(field);
      if (patch.contains(field) || list == nullptr || !list->is_array()) continue;
      CH_TRY(order_list(list->get_array(), change.value(), rule(member(node, field))));
    } else {
      CH_TRY(merge_member(target, key, patch, member(node, key)));
    }
  }
  return {};
}

Result<void> Merger::merge_member(Object& target, std::string_view key, const Object& patch, Node node) {
  const Value& change = patch.at(key);
  if (change.is_null()) {
    target.erase(key);
  } else if (const Object* object = change.if_object()) {
    CH_TRY_LET(directive, directive_of(*object));
    if (directive == Directive::kDelete) {
      target.erase(key);
      return {};
    }
    Value& existing = target[key];
    if (directive == Directive::kReplace || !existing.is_object()) existing.emplace_object();
    return merge_map(existing.get_object(), *object, node);
  } else if (const Array* list = change.if_array()) {
    Value& existing = target[key];
    if (!existing.is_array()) existing.emplace_array();
    return merge_list(existing.get_array(), *list, patch.if_contains(fmt::format("{}{}", kSetElementOrder, key)), node);
  } else {
    target.insert_or_assign(key, change);
  }
  return {};
}

// A part of the patch that has nothing to merge with: what remains when its directives are obeyed.
Result<Value> Merger::fresh(const Value& patch, const Storage& storage, Node node) {
  if (const Object* object = patch.if_object()) {
    Object made(storage);
    CH_TRY(merge_map(made, *object, node));
    return Value(std::move(made));
  }
  if (const Array* list = patch.if_array()) {
    Array made(storage);
    CH_TRY(merge_list(made, *list, nullptr, node));
    return Value(std::move(made));
  }
  return Value(patch, storage);
}

Result<void> Merger::replace_list(Array& target, const Array& patch, Node item) {
  Array made(target.storage());
  made.reserve(patch.size());
  for (const Value& element : patch) {
    const Object* object = element.if_object();
    if (object != nullptr && object->contains(kPatch)) {
      CH_TRY(directive_of(*object));  // for its error; the element itself is no data
      continue;
    }
    CH_TRY_LET(value, fresh(element, target.storage(), item));
    made.push_back(std::move(value));
  }
  target = std::move(made);
  return {};
}

// A first merge is paid for by the size of the document and of the patch. Each further one into the same element may
// read all of that element for a few bytes of the patch.
Result<void> Merger::spend(const Value& element) {
  const size_t bytes = memory_of(element);
  if (bytes > repeats_left_)
    return too_large("the patch merges into the same elements of a list too often: name each element once");
  repeats_left_ -= bytes;
  return {};
}

Result<void> Merger::merge_list(Array& target, const Array& patch, const Value* order, Node node) {
  const ListRule list_rule = rule(node);
  if (!list_rule.merge) return replace_list(target, patch, item(node));

  std::vector<const Value*> elements;
  std::vector<std::string> ids;
  StableTextSet deleted;
  bool replace = false;
  for (const Value& element : patch) {
    auto directive = Directive::kMerge;
    if (const Object* object = element.if_object()) {
      CH_TRY_LET(given, directive_of(*object));
      directive = given;
    }
    if (directive == Directive::kReplace) {
      replace = true;
      continue;
    }
    CH_TRY_LET(id, identity(element, list_rule.key));
    if (directive == Directive::kDelete) {
      deleted.insert(std::move(id));
    } else {
      elements.push_back(&element);
      ids.push_back(std::move(id));
    }
  }

  if (replace) target.clear();
  Array kept(target.storage());
  Positions found;
  for (Value& element : target) {
    std::string id = stored_identity(element, list_rule.key);
    if (deleted.contains(id)) continue;
    found.try_emplace(std::move(id), kept.size());
    kept.push_back(std::move(element));
  }
  const size_t stored = kept.size();
  target = std::move(kept);
  std::vector<bool> is_merged(stored);
  for (size_t i = 0; i < elements.size(); ++i) {
    const auto [at, added] = found.try_emplace(ids[i], target.size());
    if (added) {
      CH_TRY_LET(value, fresh(*elements[i], target.storage(), item(node)));
      target.push_back(std::move(value));
      is_merged.push_back(true);
    } else if (const Object* changes = elements[i]->if_object()) {
      Value& element = target[at->second];
      if (is_merged[at->second]) CH_TRY(spend(element));
      is_merged[at->second] = true;
      CH_TRY(merge_map(element.get_object(), *changes, item(node)));
    }
  }

  Positions wanted;
  if (order != nullptr) {
    CH_TRY_LET(given, read_order(*order, list_rule.key, ids));
    wanted = std::move(given);
  } else {
    for (std::string& id : ids) wanted.try_emplace(std::move(id), wanted.size());
  }
  arrange(target, list_rule.key, wanted, stored);
  return {};
}

}  // namespace

Result<void> strategic_merge_patch(Value& target, const Value& patch, const MergeRules& rules) {
  const Object* changes = patch.if_object();
  if (changes == nullptr) return bad_request("a strategic merge patch must be an object");
  CH_TRY_LET(directive, directive_of(*changes));
  if (directive != Directive::kMerge || !target.is_object()) target.emplace_object();
  if (directive == Directive::kDelete) return {};
  return Merger(rules).merge_map(target.get_object(), *changes, rules.root());
}

}  // namespace chandler::json
