#include "svcat/call.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/text.h"
#include "base/time_text.h"

namespace chandler::svcat {

Call::Call(Environment& environment, const Command& command, Arguments arguments)
    : env_(environment), command_(command), arguments_(std::move(arguments)) {}

Style Call::style() const { return Style(env_.out_is_terminal, env_.variable); }
Style Call::error_style() const { return Style(env_.err_is_terminal, env_.variable); }

std::string Call::argument(size_t index) const {
  return index < arguments_.words.size() ? arguments_.words[index] : std::string();
}

bool Call::is_set(std::string_view flag) const {
  const auto it = arguments_.flags.find(flag);
  if (it != arguments_.flags.end()) return it->second.back() == "true";
  const auto* known = find_flag(command_, flag);
  return known != nullptr && known->fallback == "true";
}

std::string Call::flag(std::string_view name) const {
  const auto it = arguments_.flags.find(name);
  if (it != arguments_.flags.end()) return it->second.back();
  const auto* known = find_flag(command_, name);
  return known == nullptr ? std::string() : std::string(known->fallback);
}

std::vector<std::string> Call::flags(std::string_view name) const {
  const auto it = arguments_.flags.find(name);
  return it == arguments_.flags.end() ? std::vector<std::string>() : it->second;
}

Result<std::optional<std::chrono::nanoseconds>> Call::duration(std::string_view name) const {
  const auto text = flag(name);
  if (text == "-1") return std::optional<std::chrono::nanoseconds>();
  const auto parsed = parse_go_duration(text);
  if (!parsed || parsed->count() < 0) {
    return usage_error(fmt::format("--{} {} is no duration; write 30s, 5m or 1h30m", name, quoted(text)));
  }
  return std::optional(*parsed);
}

Result<Catalog*> Call::catalog() {
  if (catalog_) return catalog_.get();
  client::KubeconfigOptions options;
  options.path = flag("kubeconfig");
  options.context = flag("context");
  options.user = flag("user");
  options.ns = flag("namespace");
  // Old plugin callers of kubectl hand over their namespace in a variable.
  if (options.ns.empty()) options.ns = env_.variable("KUBECTL_PLUGINS_CURRENT_NAMESPACE").value_or("");
  options.env = env_.variable;
  CH_TRY_LET(connection, env_.connect(options));
  rest_ = std::make_unique<client::Rest>(env_.http(), std::move(connection), "svcat");
  rest_->on_warning([this](const std::string& text) {
    if (warned_.insert(text).second) warn(printable(text));
  });
  catalog_ = std::make_unique<Catalog>(*rest_);
  return catalog_.get();
}

Result<std::string> Call::ns() {
  if (auto given = flag("namespace"); !given.empty()) return given;
  CH_TRY_LET(server, catalog());
  return server->rest().connection().ns;
}

void Call::hint(std::string_view text) { fmt::print(env_.err, "{}\n", text); }

void Call::warn(std::string_view text) {
  fmt::print(env_.err, "{} {}\n", error_style().paint("Warning:", Color::kYellow), text);
}

Result<bool> Call::confirm(std::string_view question) {
  if (is_set("yes")) return true;
  fmt::print(env_.err, "{} [y/N] ", question);
  env_.err.flush();
  std::string answer;
  if (!std::getline(env_.in, answer)) {
    env_.err << '\n';
    return usage_error("nobody answered the question; pass --yes to go on without being asked");
  }
  const auto word = to_lower(trim(answer));
  return word == "y" || word == "yes";
}

}  // namespace chandler::svcat
