// For the tests of this folder: tables of documents and what the rules say about them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "admission/rules.h"
#include "json/reader.h"
#include "json/writer.h"

namespace chandler::admission {

inline json::Value document(std::string_view text) {
  auto parsed = json::parse(text);
  if (!parsed.ok()) ADD_FAILURE() << "not JSON: " << text;
  return parsed.ok() ? std::move(parsed).value() : json::Value();
}

// Without the part of reasons that all of them share: "spec.replicas Invalid".
inline std::vector<std::string> short_causes(const meta::FieldErrors& errors) {
  std::vector<std::string> causes;
  for (const auto& cause : errors.causes()) {
    EXPECT_FALSE(cause.message.empty()) << cause.field;
    causes.push_back(cause.field + " " + cause.reason.substr(std::string_view("FieldValue").size()));
  }
  std::sort(causes.begin(), causes.end());
  return causes;
}

struct CheckRow {
  std::string name;
  std::string reason;
  std::string object;
  std::string old;  // empty: the object is new
  std::vector<std::string> want;
};

inline void expect_checks(Check check, const std::vector<CheckRow>& rows, bool namespaced = true) {
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    auto object = document(row.object);
    const auto old = row.old.empty() ? json::Value() : document(row.old);
    Context context;
    context.operation = row.old.empty() ? registry::Operation::kCreate : registry::Operation::kUpdate;
    context.namespaced = namespaced;
    context.object = &object;
    context.old = row.old.empty() ? nullptr : &old;
    meta::FieldErrors errors;
    check(context, errors);
    auto want = row.want;
    std::sort(want.begin(), want.end());
    EXPECT_EQ(short_causes(errors), want);
  }
}

struct DefaultRow {
  std::string name;
  std::string reason;
  std::string object;
  std::string old;  // empty: the object is new
  std::string want;
};

inline void expect_defaults(Change change, const std::vector<DefaultRow>& rows) {
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    auto object = document(row.object);
    const auto old = row.old.empty() ? json::Value() : document(row.old);
    Context context;
    context.operation = row.old.empty() ? registry::Operation::kCreate : registry::Operation::kUpdate;
    context.object = &object;
    context.old = row.old.empty() ? nullptr : &old;
    change(context);
    EXPECT_EQ(json::write(object), json::write(document(row.want)));
  }
}

}  // namespace chandler::admission
