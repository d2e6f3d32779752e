#include "meta/apply/fields_edit.h"

#include "meta/apply/fields_cursor.h"

namespace chandler::meta {
namespace {

constexpr std::string_view kMember = FieldsCursor::kMember;

// Two walks in step, over the text and over the changes: both are in the order of elements.
class FieldsEditor {
 public:
  FieldsEditor(std::string_view text, const Changes& changes, bool is_writers, std::string& out)
      : text_(text), changes_(changes), is_writers_(is_writers), out_(out) {}

  bool edit(const SchemaNode* schema) {
    if (!text_.take('{')) return false;
    out_ += '{';
    text_.take(kMember);  // nobody owns the whole as such
    if (!edit_members(Place::root(schema), changes_.nodes())) return false;
    out_ += '}';
    return true;
  }

 private:
  // A place that is being written: what is in it, or that it is empty, is known at its end only.
  struct Begun {
    size_t begin;   // all of it
    size_t inside;  // behind its bracket
    size_t below;   // behind what says that it is a member
  };

  using Key = FieldsCursor::Key;

  // Up to the closing bracket, and over it.
  bool edit_members(const Place& place, Changes::Nodes changes) {
    while (!text_.take('}')) {
      text_.take(',');
      Key key;
      if (!text_.take_key(key)) return false;
      const Changes::Nodes here = take_changes(changes, key.element);
      if (here.empty() && text_.take("{}")) {
        separate();
        out_ += text_.since(key.begin);
      } else if (!edit_node(place, key, here)) {
        return false;
      }
    }
    write_all_taken(changes);
    return true;
  }

  // Those at an element. The writer's own fields have what is before it.
  Changes::Nodes take_changes(Changes::Nodes& level, std::string_view element) {
    if (!is_writers_) return changes_.seek(level, element);
    int order = 1;
    while (!level.empty() && (order = level.front().compare(element)) < 0) write_taken(level);
    if (level.empty() || order != 0) return {};
    const auto here = level.first(1 + level.front().below);
    level = after_first(level);
    return here;
  }

  bool edit_node(const Place& above, const Key& key, Changes::Nodes here) {
    const size_t begin = out_.size();
    separate();
    out_ += text_.since(key.begin);
    if (!text_.take('{')) return false;
    bool is_leaf = text_.take('}');
    bool member = is_leaf || text_.take(kMember);
    Place place;
    if (!is_leaf) {
      place = key.element[0] == 'f' ? above.member(key.element.substr(2)) : above.item();
      if (place.is_one_piece()) {
        const size_t end = out_.size();
        if (!edit_members(place, {})) return false;
        out_.resize(end);
        is_leaf = member = true;
      }
    }
    if (!here.empty()) member = is_member_after(member, here.front().what);
    const Begun begun = open(begin, member);
    const Changes::Nodes below = here.empty() ? here : below_first(here);
    if (is_leaf) {
      write_all_taken(below);
    } else if (!edit_members(place, below)) {
      return false;
    }
    close(begun);
    return true;
  }

  bool is_member_after(bool before, uint8_t what) const {
    if (!is_writers_) return before && what == 0;
    return (before && (what & Changes::kRemoved) == 0) || (what & Changes::kTaken) != 0;
  }

  // What the writer came to own in and below the first place; steps over it.
  void write_taken(Changes::Nodes& changes) {
    const auto& node = changes.front();
    const size_t begin = out_.size();
    separate();
    write_element(out_, node.prefix, node.name);
    const Begun begun = open(begin, (node.what & Changes::kTaken) != 0);
    write_all_taken(below_first(changes));
    close(begun);
    changes = after_first(changes);
  }
  void write_all_taken(Changes::Nodes changes) {
    while (is_writers_ && !changes.empty()) write_taken(changes);
  }

  void separate() {
    if (out_.back() != '{') out_ += ',';
  }
  Begun open(size_t begin, bool member) {
    out_ += '{';
    const size_t inside = out_.size();
    if (member) out_ += kMember;
    return {begin, inside, out_.size()};
  }
  void close(const Begun& begun) {
    if (out_.size() == begun.below) {
      const bool member = begun.below > begun.inside;
      out_.resize(member ? begun.inside : begun.begin);
      if (!member) return;
    }
    out_ += '}';
  }

  FieldsCursor text_;
  const Changes& changes_;
  bool is_writers_;
  std::string& out_;
};

}  // namespace

std::optional<std::string> edit_fields(std::string_view fields_v1, const SchemaNode* schema, const Changes& changes,
                                       bool is_writers) {
  std::string out;
  out.reserve(fields_v1.size() + 1024);
  if (!FieldsEditor(fields_v1, changes, is_writers, out).edit(schema)) return std::nullopt;
  return out;
}

}  // namespace chandler::meta
