// The keys of an OpenID Connect issuer, found through its discovery document and kept: fetched when the server starts,
// when a token names a key that is not known, and when they have grown old; never more often than every few seconds,
// whatever strangers send. Nobody waits in here: who needs newer keys leaves a callback. Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "auth/json_web_key.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace chandler::auth {

class IssuerKeys : public std::enable_shared_from_this<IssuerKeys> {
 public:
  using Keys = std::vector<JsonWebKey>;
  // Gets a document over HTTPS and calls back once, on any thread, also at once.
  using Fetch = std::function<void(const std::string& url, std::function<void(Result<std::string>)> done)>;

  static constexpr auto kPause = std::chrono::seconds(10);           // between two fetches that found keys
  static constexpr auto kPauseAfterFault = std::chrono::seconds(2);  // after one that did not
  static constexpr auto kMaxAge = std::chrono::hours(1);  // then a withdrawn key must not go on being trusted
  static constexpr size_t kMaxWaiting = 1000;

  IssuerKeys(std::string issuer, Fetch fetch, const Clock& clock);

  // Empty until the first fetch has succeeded. Starts a fetch in the background when they are old.
  std::shared_ptr<const Keys> current() CH_EXCLUDES(mutex_);
  // Fetches anew and then calls `done`, whether that worked or not. False: it was done a moment ago (or too many wait),
  // and `done` is not called.
  bool refresh(std::function<void()> done) CH_EXCLUDES(mutex_);
  std::string last_fault() const CH_EXCLUDES(mutex_);  // why there are no (new) keys; empty: there are

 private:
  void fetch_discovery();
  void finish(Result<Keys> got) CH_EXCLUDES(mutex_);

  const std::string issuer_;
  const Fetch fetch_;
  const Clock& clock_;
  mutable Mutex mutex_;
  std::shared_ptr<const Keys> keys_ CH_GUARDED_BY(mutex_) = std::make_shared<const Keys>();
  std::string fault_ CH_GUARDED_BY(mutex_) = "the keys of the issuer have not been fetched yet";
  bool fetching_ CH_GUARDED_BY(mutex_) = false;
  MonoTime next_ CH_GUARDED_BY(mutex_){};     // no fetch before
  MonoTime fetched_ CH_GUARDED_BY(mutex_){};  // when keys_ came
  std::vector<std::function<void()>> waiting_ CH_GUARDED_BY(mutex_);
};

// The address of the keys, from a discovery document; it must be that of the issuer, and over HTTPS.
Result<std::string> key_set_address(std::string_view discovery, std::string_view issuer);

}  // namespace chandler::auth
