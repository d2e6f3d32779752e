#include "auth/token_file.h"

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::auth {
namespace {

// One CSV record (RFC 4180) without line breaks inside quotes. nullopt: quotes do not pair.
std::optional<std::vector<std::string>> split_record(std::string_view line) {
  std::vector<std::string> fields(1);
  bool in_quotes = false;
  bool was_quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_quotes) {
      if (c != '"') {
        fields.back() += c;
      } else if (i + 1 < line.size() && line[i + 1] == '"') {
        fields.back() += c;
        ++i;
      } else {
        in_quotes = false;
      }
    } else if (c == ',') {
      fields.emplace_back();
      was_quoted = false;
    } else if (c == '"' && fields.back().empty() && !was_quoted) {
      in_quotes = was_quoted = true;
    } else if (c == '"' || was_quoted) {
      return std::nullopt;
    } else {
      fields.back() += c;
    }
  }
  if (in_quotes) return std::nullopt;
  return fields;
}

}  // namespace

Result<TokenFile> TokenFile::parse(std::string_view text, std::string_view name,
                                   std::vector<std::string> own_audiences) {
  TokenFile file;
  file.own_audiences_ = std::move(own_audiences);
  size_t number = 0;
  const auto fault = [&](std::string_view what) {
    return fail(
        bad_request(fmt::format("{}, line {}: {}; a line is token,user,uid,\"group1,group2\"", name, number, what)));
  };
  for (const auto raw : split(text, '\n')) {
    ++number;
    const auto line = trim(raw);
    if (line.empty()) continue;
    auto fields = split_record(line);
    if (!fields) return fault("quotes do not pair");
    for (auto& field : *fields) field = std::string(trim(field));
    if (fields->size() < 3 || fields->size() > 4) return fault("not three or four columns");
    if ((*fields)[0].empty()) return fault("the token is empty");
    if ((*fields)[1].empty()) return fault("the user is empty");
    User user;
    user.name = std::move((*fields)[1]);
    user.uid = std::move((*fields)[2]);
    if (fields->size() == 4) {
      for (const auto group : split((*fields)[3], ',')) {
        if (!trim(group).empty()) user.groups.emplace_back(trim(group));
      }
    }
    if (!file.users_.emplace(sha256((*fields)[0]), std::move(user)).second) {
      return fault("the same token as on an earlier line");
    }
  }
  return file;
}

Result<std::optional<Identity>> TokenFile::authenticate(const Credentials& credentials) const {
  if (credentials.bearer_token.empty()) return std::optional<Identity>();
  const auto found = users_.find(sha256(credentials.bearer_token));
  if (found == users_.end()) return std::optional<Identity>();
  Identity identity{found->second, common_audiences(own_audiences_, credentials.audiences)};
  if (identity.audiences.empty() && credentials.audiences != nullptr) {
    return fail(refused("the token is not meant for the wanted audiences"));
  }
  return std::optional(std::move(identity));
}

}  // namespace chandler::auth
