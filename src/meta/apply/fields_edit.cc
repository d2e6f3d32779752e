#include "meta/apply/fields_edit.h"

#include <algorithm>

#include "json/text_scan.h"

namespace chandler::meta {
namespace {

constexpr std::string_view kMember = R"(".":{})";  // "." is before all elements

// Two walks in step, over the text and over the changes: both are in the order of elements.
class FieldsEditor {
 public:
  FieldsEditor(std::string_view text, bool is_writers, std::string& out)
      : text_(text), is_writers_(is_writers), out_(out) {}

  bool edit(const SchemaNode* schema, const Changes& changes) {
    if (!take('{')) return false;
    out_ += '{';
    take(kMember);  // nobody owns the whole as such
    if (!edit_members(Place::root(schema), changes.nodes())) return false;
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

  struct Key {
    size_t begin;  // in the text
    std::string_view element;
  };

  // Up to the closing bracket, and over it.
  bool edit_members(const Place& place, Changes::Nodes changes) {
    while (!take('}')) {
      take(',');
      Key key;
      if (!take_key(key)) return false;
      int order = 1;
      while (!changes.empty() && (order = changes.front().compare(key.element)) < 0) write_taken(changes);
      Changes::Nodes here;
      if (!changes.empty() && order == 0) {
        here = changes.first(1 + changes.front().below);
        changes = after_first(changes);
      }
      if (here.empty() && take("{}")) {
        separate();
        out_.append(text_, key.begin, at_ - key.begin);
      } else if (!edit_node(place, key, here)) {
        return false;
      }
    }
    while (!changes.empty()) write_taken(changes);
    return true;
  }

  bool edit_node(const Place& above, const Key& key, Changes::Nodes here) {
    const size_t begin = out_.size();
    separate();
    out_.append(text_, key.begin, at_ - key.begin);
    if (!take('{')) return false;
    bool is_leaf = take('}');
    bool member = is_leaf || take(kMember);
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
    Changes::Nodes below = here.empty() ? here : below_first(here);
    if (!is_leaf && !edit_members(place, below)) return false;
    while (is_leaf && !below.empty()) write_taken(below);
    close(begun);
    return true;
  }

  bool is_member_after(bool before, uint8_t what) const {
    if (!is_writers_) return before && what == 0;
    return (before && (what & Changes::kRemoved) == 0) || (what & Changes::kTaken) != 0;
  }

  // What the writer came to own in and below the first place; steps over it.
  void write_taken(Changes::Nodes& changes) {
    if (is_writers_) {
      const auto& node = changes.front();
      const size_t begin = out_.size();
      separate();
      write_element(out_, node.prefix, node.name);
      const Begun begun = open(begin, (node.what & Changes::kTaken) != 0);
      for (auto below = below_first(changes); !below.empty();) write_taken(below);
      close(begun);
    }
    changes = after_first(changes);
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

  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view what) {
    if (!text_.substr(at_).starts_with(what)) return false;
    at_ += what.size();
    return true;
  }
  // An element and the colon behind it.
  bool take_key(Key& out) {
    out.begin = at_;
    if (!take('"')) return false;
    const auto end = json::find_string_end(text_, at_);
    out.element = text_.substr(at_, end.quote - at_);
    if (end.has_escapes) out.element = unescaped_ = json::unescaped(out.element);
    at_ = std::min(end.quote + 1, text_.size());
    return out.element.size() >= 2 && out.element[1] == ':' && take(':');
  }

  std::string_view text_;
  size_t at_ = 0;
  bool is_writers_;
  std::string& out_;
  std::string unescaped_;  // the element that is looked at
};

}  // namespace

std::optional<std::string> edit_fields(std::string_view fields_v1, const SchemaNode* schema, const Changes& changes,
                                       bool is_writers) {
  std::string out;
  out.reserve(fields_v1.size() + 1024);
  if (!FieldsEditor(fields_v1, is_writers, out).edit(schema, changes)) return std::nullopt;
  return out;
}

}  // namespace chandler::meta
