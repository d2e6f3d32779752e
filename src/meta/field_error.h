// Faults found by validation, all of them, each with the path of the field. Cause reasons and the beginnings of the
// messages are those of the Kubernetes API, so that kubectl prints them the way people know.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "json/value.h"

namespace chandler::meta {

// A path such as spec.ports[0].name or metadata.labels[a/b]. An owned text: keep and pass it freely. Code that walks
// whole documents builds one only when it has a fault to report. A path of more than 4 KiB is cut and ends in "...",
// since each path repeats the names above it, and names in a document may be as long as the document.
class Path {
 public:
  Path() = default;
  explicit Path(std::string_view name) { append(name); }
  Path member(std::string_view name) const;  // spec.name; at the root just name
  Path index(size_t i) const;                // spec[0]
  Path key(std::string_view k) const;        // spec[k], for map keys
  const std::string& str() const { return text_; }

 private:
  void append(std::string_view part);

  std::string text_;
};

// The faults of one object. They are all counted; those beyond 4 MiB of text keep only their reason.
class FieldErrors {
 public:
  void required(const Path& path, std::string_view detail = "");
  void invalid(const Path& path, const json::Value& value, std::string_view detail);
  void invalid(const Path& path, std::string_view value, std::string_view detail);
  void invalid(const Path& path, const char* value, std::string_view detail) {
    invalid(path, std::string_view(value), detail);
  }
  void type_invalid(const Path& path, const json::Value& value, std::string_view detail);
  void not_supported(const Path& path, const json::Value& value, const std::vector<std::string>& supported);
  void duplicate(const Path& path, const json::Value& value);
  void forbidden(const Path& path, std::string_view detail);
  void not_found(const Path& path, std::string_view value);
  void too_long(const Path& path, size_t max_length);
  void too_many(const Path& path, size_t count, size_t max);
  void add(Cause cause);

  bool empty() const { return causes_.empty(); }
  size_t size() const { return causes_.size(); }
  const std::vector<Cause>& causes() const { return causes_; }
  std::vector<Cause> take() { return std::move(causes_); }

 private:
  size_t bytes_ = 0;
  std::vector<Cause> causes_;
};

}  // namespace chandler::meta
