#include "osb/server/broker_server.h"

#include <utility>

#include "base/private_file.h"

namespace chandler::osb::server {
namespace {

constexpr size_t kMaxQueued = 2000;
constexpr size_t kMaxBody = 1 << 20;

http::Response catalog_answer(const http::Request& request, const Catalog& catalog) {
  http::Response response;
  response.headers.add("ETag", catalog.etag());
  const auto known = request.headers.get("If-None-Match");
  if (known == "*" || known.find(catalog.etag()) != std::string_view::npos) {
    response.status = 304;
    return response;
  }
  response.headers.add("Content-Type", "application/json");
  response.body = catalog.body();
  return response;
}

}  // namespace

// Two reports of each worker fit beside all requests, so what a worker has to say is never refused.
BrokerServer::BrokerServer(BrokerServerOptions options, FileLock lock, Catalog catalog)
    : options_(std::move(options)),
      lock_(std::move(lock)),
      catalog_(std::move(catalog)),
      gate_(options_.username, options_.password),
      lane_("osb-state", 1, kMaxQueued + 2 * options_.workers + 1),
      workers_("osb-work", options_.workers, options_.workers) {}

Result<std::unique_ptr<BrokerServer>> BrokerServer::open(Service& service, BrokerServerOptions options,
                                                         const Clock& clock) {
  CH_TRY_LET(catalog, Catalog::read(service.catalog()));
  const std::string directory = options.data_dir;
  CH_TRY(secure_directory(directory, {"broker.lock"}));
  CH_TRY_LET(lock, FileLock::acquire(directory + "/broker.lock"));
  CH_TRY_LET(state, State::open(directory));
  std::unique_ptr<BrokerServer> server(
      new BrokerServer(std::move(options), std::move(lock), std::move(catalog)));  // the constructor is private
  auto* self = server.get();
  OperationsOptions rules;
  rules.check = server->options_.check;
  rules.workers = server->options_.workers;
  rules.remember = server->options_.remember;
  server->operations_ = std::make_unique<Operations>(
      service, server->catalog_, std::move(state), std::move(rules), clock,
      [self](std::function<void()> work) { return self->workers_.submit(std::move(work)); },
      [self](std::function<void()> work) { return self->lane_.submit(std::move(work)); });
  // On the lane, so that reports of what is begun here cannot come in between.
  auto resumed = std::make_shared<Result<void>>();
  Mutex mutex;
  CondVar wake;
  bool done = false;
  server->lane_.submit([&] {
    *resumed = self->operations_->resume();
    MutexLock locked(mutex);
    done = true;
    wake.notify_all();
  });
  {
    MutexLock locked(mutex);
    while (!done) wake.wait(mutex);
  }
  CH_TRY(std::move(*resumed));
  return server;
}

BrokerServer::~BrokerServer() { stop(); }

void BrokerServer::stop() {
  workers_.stop();
  lane_.stop();
}

http::Handler BrokerServer::handler() {
  return [this](const std::shared_ptr<http::Request>& request, std::unique_ptr<http::Responder> responder) {
    handle(*request, std::move(responder));
  };
}

void BrokerServer::handle(const http::Request& request, std::unique_ptr<http::Responder> responder) {
  Caller caller(request, std::move(responder));
  if (const auto refusal = gate_.check_credentials(request.headers)) return caller.send(*refusal);
  if (const auto refusal = Gate::check_version(request.headers)) return caller.send(*refusal);
  auto read = read_target(request);
  if (!read.ok()) return caller.send(read.error());
  if (read->action == Action::kCatalog) return caller.send(catalog_answer(request, catalog_));
  if (request.body.size() > kMaxBody) return caller.send(Refusal{413, "", "the body is larger than 1 MiB"});
  if (const auto refusal = read_body(*read, request.body)) return caller.send(*refusal);
  if (const auto refusal = check_ids(*read, catalog_)) return caller.send(*refusal);
  enqueue(std::move(*read), std::move(caller));
}

void BrokerServer::enqueue(BrokerRequest request, Caller caller) {
  const auto shared = std::make_shared<Caller>(std::move(caller));
  if (queued_.fetch_add(1) >= kMaxQueued) {
    queued_.fetch_sub(1);
    return shared->send(Refusal{429, "", "too many requests at once; try again"});
  }
  const bool taken = lane_.submit([this, request = std::move(request), shared] {
    queued_.fetch_sub(1);
    operations_->handle(request, std::move(*shared));
  });
  if (!taken) shared->send(Refusal{503, "", "the broker is stopping; try again"});
}

}  // namespace chandler::osb::server
