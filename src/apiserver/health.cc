#include "apiserver/health.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace chandler::apiserver {

void Health::add(std::string name, bool live, std::function<std::string()> check) {
  checks_.push_back({std::move(name), live, std::move(check)});
}

std::optional<Health::Report> Health::ask(std::string_view path, const std::vector<std::string_view>& exclude) const {
  const size_t slash = path.find('/', 1);
  const auto endpoint = path.substr(0, slash);
  const auto single = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  Report report;
  bool found = single.empty();
  for (const auto& check : checks_) {
    if (!single.empty() && check.name != single) continue;
    if (endpoint == "/livez" && !check.live) continue;
    found = true;
    if (std::find(exclude.begin(), exclude.end(), check.name) != exclude.end()) {
      report.text += fmt::format("[+]{} excluded: ok\n", check.name);
      continue;
    }
    const auto fault = check.ask();
    report.ok = report.ok && fault.empty();
    report.text +=
        fault.empty() ? fmt::format("[+]{} ok\n", check.name) : fmt::format("[-]{} failed: {}\n", check.name, fault);
  }
  if (!found) return std::nullopt;
  report.text += fmt::format("{} check {}\n", endpoint.substr(1), report.ok ? "passed" : "failed");
  return report;
}

}  // namespace chandler::apiserver
