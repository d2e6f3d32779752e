#include "auth/issuer_keys.h"

#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "json/reader.h"

namespace chandler::auth {
namespace {

constexpr std::string_view kDiscoveryPath = "/.well-known/openid-configuration";
constexpr size_t kMaxDiscoveryDepth = 16;

std::string without_slash(std::string_view url) {
  while (url.ends_with("/")) url.remove_suffix(1);
  return std::string(url);
}

}  // namespace

Result<std::string> key_set_address(std::string_view discovery, std::string_view issuer) {
  auto document = json::parse(discovery, {.max_depth = kMaxDiscoveryDepth});
  if (!document.ok()) return fail(bad_request("the discovery document is no JSON"));
  const auto named = json::string_or(*document, "issuer");
  if (named != issuer) {
    return fail(bad_request(fmt::format("the discovery document is of the issuer {}, not of {}",
                                        quoted(named.substr(0, 200)), quoted(issuer))));
  }
  auto address = json::string_or(*document, "jwks_uri");
  if (!address.starts_with("https://")) {
    return fail(bad_request("the discovery document names no key set (jwks_uri) with an https address"));
  }
  return address;
}

IssuerKeys::IssuerKeys(std::string issuer, Fetch fetch, const Clock& clock)
    : issuer_(std::move(issuer)), fetch_(std::move(fetch)), clock_(clock) {}

std::shared_ptr<const IssuerKeys::Keys> IssuerKeys::current() {
  std::shared_ptr<const Keys> keys;
  bool old = false;
  {
    MutexLock lock(mutex_);
    keys = keys_;
    // While a fetch is under way, joining it would only take a place from a request that needs to wait.
    old = !fetching_ && !keys->empty() && clock_.mono() >= fetched_ + kMaxAge;
  }
  if (old) refresh([] {});
  return keys;
}

bool IssuerKeys::refresh(std::function<void()> done) {
  {
    MutexLock lock(mutex_);
    if (waiting_.size() >= kMaxWaiting) return false;
    if (fetching_) {
      waiting_.push_back(std::move(done));
      return true;
    }
    const auto now = clock_.mono();
    if (now < next_) return false;
    fetching_ = true;
    waiting_.push_back(std::move(done));
  }
  fetch_discovery();
  return true;
}

std::string IssuerKeys::last_fault() const {
  MutexLock lock(mutex_);
  return fault_;
}

void IssuerKeys::fetch_discovery() {
  const auto self = shared_from_this();
  fetch_(without_slash(issuer_).append(kDiscoveryPath), [self](Result<std::string> discovery) {
    if (!discovery.ok()) return self->finish(fail(std::move(discovery).error()));
    auto address = key_set_address(*discovery, self->issuer_);
    if (!address.ok()) return self->finish(fail(std::move(address).error()));
    self->fetch_(*address, [self](Result<std::string> set) {
      if (!set.ok()) return self->finish(fail(std::move(set).error()));
      self->finish(parse_key_set(*set));
    });
  });
}

void IssuerKeys::finish(Result<Keys> got) {
  std::vector<std::function<void()>> waiting;
  const auto fault = got.ok() ? std::string() : got.error().message;
  {
    MutexLock lock(mutex_);
    const auto now = clock_.mono();
    fetching_ = false;
    next_ = now + (got.ok() ? kPause : kPauseAfterFault);
    fault_ = fault;
    if (got.ok()) {
      keys_ = std::make_shared<const Keys>(std::move(got).value());
      fetched_ = now;
    }
    waiting.swap(waiting_);
  }
  // Keys that were there stay good: an issuer that is down for a while locks nobody out.
  if (!fault.empty()) log::warn("the keys of the token issuer cannot be had", {{"issuer", issuer_}, {"why", fault}});
  for (const auto& done : waiting) done();
}

}  // namespace chandler::auth
