// For tests that look at what every request passes (audit, lanes, acting as others): a whole ApiServer over a store in
// memory, without sockets. Requests come with a verified certificate; parts can be exchanged before the first request.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/health.h"
#include "apiserver/housekeeping/world_fixture.h"
#include "apiserver/openapi.h"
#include "apiserver/request_metrics.h"
#include "apiserver/server.h"
#include "apiserver/server_fixture.h"
#include "apiserver/watch_stream.h"
#include "auth/key.h"

namespace chandler::apiserver::testing {

struct WholeServer {
  using Method = std::shared_ptr<const auth::Authenticator>;

  // `more`: a way of authentication beside certificates.
  explicit WholeServer(const Method& more = nullptr) : authenticator(methods(more)) { world.follow(); }
  ~WholeServer() {
    answers.clear();
    pool.stop();
    world.store.stop();
  }

  // Sent by `user`, a member of `group`.
  static std::shared_ptr<http::Request> request(http::Method method, std::string_view target, std::string_view body,
                                                const std::string& user, const std::string& group,
                                                const http::Headers& headers) {
    auto request = std::make_shared<http::Request>();
    request->method = method;
    request->method_text = http::method_name(method);
    request->target = target;
    request->body = body;
    request->headers = headers;
    auto peer = std::make_shared<http::Peer>();
    peer->address = "10.1.2.3:4567";
    peer->common_name = user;
    if (!group.empty()) peer->organizations = {group};
    request->peer = std::move(peer);
    return request;
  }
  // Sends it; the answer comes into `answers`, now or later.
  void send(http::Method method, std::string_view target, std::string_view body, const std::string& user,
            const std::string& group, const http::Headers& headers = {}) {
    server.handle(request(method, target, body, user, group, headers), std::make_unique<FakeResponder>(answers));
  }
  // Sends it and takes the answer, as soon as it is there.
  http::Response exchange(std::shared_ptr<http::Request> request) {
    answers.clear();
    server.handle(std::move(request), std::make_unique<FakeResponder>(answers));
    MutexLock lock(answers.mutex);
    answers.wait();
    return std::move(answers.all.front());
  }
  // Waits for the answer: code and body.
  std::string ask(http::Method method, std::string_view target, std::string_view body = "",
                  const std::string& user = "admin", const std::string& group = std::string(auth::kMasters),
                  const http::Headers& headers = {}) {
    answers.clear();
    send(method, target, body, user, group, headers);
    MutexLock lock(answers.mutex);
    answers.wait();
    const auto& first = answers.all.front();
    return std::to_string(first.status) + " " + first.body + std::string(first.tail);
  }

  World world;
  auth::Chain authenticator;
  NoAccounts accounts;
  auth::ServiceAccountTokens tokens{
      *auth::SigningKey::from_pem(*auth::new_private_key_pem()), {}, accounts, world.clock};
  OpenApi openapi{world.kinds, world.cache};
  Health health;
  WatchTimer timer{world.clock};
  RequestMetrics request_metrics{world.metrics};
  Pool pool{"test", 1, 10'000};
  Services services{world.kinds, world.cache, world.objects, authenticator,   world.policy(), tokens, accounts,
                    openapi,     health,      timer,         request_metrics, world.metrics,  pool,   world.clock};
  ApiServer server{services};
  Answers answers;

 private:
  static std::vector<Method> methods(const Method& more) {
    std::vector<Method> all = {std::make_shared<auth::ClientCertificates>()};
    if (more != nullptr) all.push_back(more);
    return all;
  }
};

}  // namespace chandler::apiserver::testing
