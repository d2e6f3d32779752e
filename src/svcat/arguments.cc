#include "svcat/arguments.h"

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::svcat {
namespace {

constexpr int kUsageCode = 2;  // an exit code, far below all HTTP codes

template <typename Wanted>
const Flag* find_where(const Command& command, Wanted wanted) {
  for (const auto* flags : {&command.flags, &global_flags()}) {
    for (const auto& flag : *flags) {
      if (wanted(flag)) return &flag;
    }
  }
  return nullptr;
}

Error unknown_flag(const Command& command, std::string_view word) {
  std::vector<std::string_view> known;
  for (const auto* flags : {&command.flags, &global_flags()}) {
    for (const auto& flag : *flags) known.push_back(flag.name);
  }
  std::string_view bare = word;
  while (bare.starts_with('-')) bare.remove_prefix(1);
  const auto near = nearest(bare, known);
  return usage_error(fmt::format("{} has no flag {}{}", command.name(), word,
                                 near.empty() ? "" : fmt::format("; did you mean --{}?", near)));
}

class Reader {
 public:
  Reader(const Command& command, const std::vector<std::string>& words) : command_(command), words_(words) {}

  Result<Arguments> read() {
    for (; next_ < words_.size(); ++next_) {
      const std::string_view word = words_[next_];
      if (word == "--") {
        out_.words.insert(out_.words.end(), words_.begin() + static_cast<std::ptrdiff_t>(next_) + 1, words_.end());
        break;
      }
      if (word.starts_with("--")) {
        CH_TRY(long_flag(word.substr(2)));
      } else if (word.size() > 1 && word.starts_with('-')) {
        CH_TRY(short_flags(word.substr(1)));
      } else {
        out_.words.emplace_back(word);
      }
    }
    return std::move(out_);
  }

 private:
  Result<void> long_flag(std::string_view text) {
    const auto equals = text.find('=');
    const auto* flag = find_flag(command_, text.substr(0, equals));
    if (flag == nullptr) return unknown_flag(command_, fmt::format("--{}", text.substr(0, equals)));
    if (equals != std::string_view::npos) return set(*flag, text.substr(equals + 1));
    return set_from_next(*flag);
  }

  Result<void> short_flags(std::string_view text) {
    while (!text.empty()) {
      const auto* flag = find_flag(command_, text[0]);
      if (flag == nullptr) return unknown_flag(command_, fmt::format("-{}", text));
      text.remove_prefix(1);
      if (flag->value.empty()) {
        out_.flags[std::string(flag->name)] = {"true"};
        continue;
      }
      if (text.empty()) return set_from_next(*flag);
      if (text.starts_with('=')) text.remove_prefix(1);
      return set(*flag, text);
    }
    return {};
  }

  Result<void> set_from_next(const Flag& flag) {
    if (flag.value.empty()) return set(flag, "true");
    if (next_ + 1 >= words_.size())
      return usage_error(fmt::format("--{} needs a value: --{} {}", flag.name, flag.name, flag.value));
    ++next_;
    return set(flag, words_[next_]);
  }

  Result<void> set(const Flag& flag, std::string_view value) {
    if (flag.value.empty() && value != "true" && value != "false") {
      return usage_error(fmt::format("--{} is true or false, not {}", flag.name, quoted(value)));
    }
    auto& values = out_.flags[std::string(flag.name)];
    if (!flag.repeated) values.clear();
    values.emplace_back(value);
    return {};
  }

  const Command& command_;
  const std::vector<std::string>& words_;
  size_t next_ = 0;
  Arguments out_;
};

}  // namespace

Error usage_error(std::string message) {
  Error error = bad_request(std::move(message));
  error.code = kUsageCode;
  return error;
}

bool is_usage_error(const Error& error) { return error.code == kUsageCode; }

const Flag* find_flag(const Command& command, std::string_view name) {
  return find_where(command, [&](const Flag& flag) { return flag.name == name; });
}

const Flag* find_flag(const Command& command, char letter) {
  return find_where(command, [&](const Flag& flag) { return flag.letter == letter; });
}

Result<Arguments> parse_arguments(const Command& command, const std::vector<std::string>& words) {
  CH_TRY_LET(arguments, Reader(command, words).read());
  if (arguments.has("help")) return arguments;
  const auto count = arguments.words.size();
  if (count < command.min_arguments) {
    return usage_error(fmt::format("{} needs {}", command.name(), command.arguments));
  }
  if (count > command.max_arguments) {
    return usage_error(fmt::format("{} does not know what to do with {}", command.name(),
                                   quoted(arguments.words[command.max_arguments])));
  }
  return arguments;
}

}  // namespace chandler::svcat
