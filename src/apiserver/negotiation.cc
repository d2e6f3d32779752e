#include "apiserver/negotiation.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/text.h"

namespace chandler::apiserver {
namespace {

constexpr std::string_view kOffered = "application/json, application/yaml";
constexpr size_t kMaxClauses = 64;

bool shape_of(const AcceptClause& clause, Shapes shapes, Output& output) {
  const auto as = clause.parameter("as");
  if (as.empty()) return true;
  const auto version = clause.parameter("v");
  if (clause.parameter("g") != "meta.k8s.io" || (version != "v1" && version != "v1beta1")) return false;
  if (as == "Table") {
    output.shape = Shape::kTable;
  } else if (as == (shapes == Shapes::kList ? "PartialObjectMetadataList" : "PartialObjectMetadata")) {
    output.shape = Shape::kPartialMetadata;
  } else {
    return false;
  }
  output.shape_version = version;
  return true;
}

// How much the client likes a clause; what cannot be read counts as not said.
double weight(const AcceptClause& clause) {
  const auto text = clause.parameter("q");
  double value = 1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc() && value >= 0 && value <= 1 ? value : 1;
}

bool wants_pretty(const http::Request& request, const QueryParameters& query) {
  if (query.has("pretty")) return query.flag("pretty");
  const auto agent = request.headers.get("User-Agent");
  return agent.starts_with("curl") || agent.starts_with("Wget") || agent.starts_with("Mozilla/5.0");
}

}  // namespace

std::string_view AcceptClause::parameter(std::string_view name) const {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return "";
}

std::vector<AcceptClause> parse_accept(std::string_view accept) {
  std::vector<AcceptClause> clauses;
  for (const auto piece : split(accept, ',')) {
    if (clauses.size() >= kMaxClauses) break;
    AcceptClause clause;
    bool first = true;
    for (const auto part : split(piece, ';')) {
      const auto text = trim(part);
      if (first) {
        clause.type = to_lower(text);
        first = false;
        continue;
      }
      const size_t equals = text.find('=');
      if (equals == std::string_view::npos) continue;
      clause.parameters.emplace_back(to_lower(trim(text.substr(0, equals))), trim(text.substr(equals + 1)));
    }
    if (!clause.type.empty()) clauses.push_back(std::move(clause));
  }
  const auto by_weight = [](const AcceptClause& a, const AcceptClause& b) { return weight(a) > weight(b); };
  // Most clients list them in order already.
  if (!std::is_sorted(clauses.begin(), clauses.end(), by_weight)) {
    std::stable_sort(clauses.begin(), clauses.end(), by_weight);
  }
  return clauses;
}

Result<Output> negotiate(const http::Request& request, const QueryParameters& query, Shapes shapes) {
  Output output;
  output.pretty = wants_pretty(request, query);
  const auto include = query.get("includeObject");
  if (include == "None") output.include = Output::Include::kNone;
  if (include == "Object") output.include = Output::Include::kObject;

  const auto accept = trim(request.headers.get("Accept"));
  if (accept.empty()) return output;
  for (const auto& clause : parse_accept(accept)) {
    Output candidate = output;
    if (clause.type == "application/json" || clause.type == "*/*") {
      candidate.media = MediaType::kJson;
    } else if (clause.type == "application/yaml") {
      candidate.media = MediaType::kYaml;
    } else {
      continue;
    }
    if (!shape_of(clause, shapes, candidate)) continue;
    if (shapes == Shapes::kNone && candidate.shape != Shape::kObject) continue;
    return candidate;
  }
  return not_acceptable(kOffered);
}

std::string_view aggregated_version(std::string_view accept) {
  for (const auto& clause : parse_accept(accept)) {
    if (clause.type != "application/json") continue;
    if (clause.parameter("as").empty()) return "";
    if (clause.parameter("as") != "APIGroupDiscoveryList" || clause.parameter("g") != "apidiscovery.k8s.io") continue;
    if (clause.parameter("v") == "v2") return "v2";
    if (clause.parameter("v") == "v2beta1") return "v2beta1";
  }
  return "";
}

bool accepts_gzip(const http::Request& request) {
  for (const auto& clause : parse_accept(request.headers.get("Accept-Encoding"))) {
    if (clause.type == "gzip" && clause.parameter("q") != "0") return true;
  }
  return false;
}

}  // namespace chandler::apiserver
