#include "brokers/broker_host.h"

#include <utility>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/private_file.h"
#include "osb/server/broker_server.h"

namespace chandler::brokers {
namespace {

constexpr std::chrono::milliseconds kGrace{2000};
constexpr size_t kWorkers = 8;  // making a server takes seconds
constexpr size_t kMaxBody = 1 << 20;

// The services must outlive their server.
struct ServiceBroker {
  std::unique_ptr<FileLock> lock;
  std::unique_ptr<BundledServices> services;
  std::unique_ptr<osb::server::BrokerServer> server;
};

}  // namespace

Result<std::unique_ptr<BrokerHost>> BrokerHost::start(ServiceBrokerOptions options, const Listen& listen) {
  auto broker = std::make_shared<ServiceBroker>();
  osb::server::BrokerServerOptions rules;
  rules.data_dir = options.services.data_dir + "/state";
  rules.username = std::move(options.username);
  rules.password = std::move(options.password);
  rules.check = std::move(options.check);
  rules.workers = kWorkers;
  // Two of us on one directory must not both start servers there.
  CH_TRY(secure_directory(options.services.data_dir, {"broker.lock", "state"}));
  CH_TRY_LET(lock, FileLock::acquire(options.services.data_dir + "/broker.lock"));
  broker->lock = std::make_unique<FileLock>(std::move(lock));
  CH_TRY_LET(services, BundledServices::open(std::move(options.services)));
  broker->services = std::move(services);
  CH_TRY_LET(server, osb::server::BrokerServer::open(broker->services->service(), std::move(rules), system_clock()));
  broker->server = std::move(server);
  std::unique_ptr<BrokerHost> host(new BrokerHost());  // the constructor is private
  host->finish_broker_ = [raw = broker.get()] {
    raw->server->stop();
    raw->services->stop();
  };
  auto handler = broker->server->handler();
  host->broker_ = std::move(broker);
  CH_TRY(host->serve(listen, std::move(handler)));
  return host;
}

Result<std::unique_ptr<BrokerHost>> BrokerHost::start(ScriptedOptions options, const Listen& listen) {
  CH_TRY_LET(made, ScriptedBroker::create(std::move(options)));
  std::shared_ptr<ScriptedBroker> broker = std::move(made);
  std::unique_ptr<BrokerHost> host(new BrokerHost());  // the constructor is private
  auto handler = broker->handler();
  host->broker_ = std::move(broker);
  CH_TRY(host->serve(listen, std::move(handler)));
  return host;
}

Result<void> BrokerHost::serve(const Listen& listen, http::Handler handler) {
  http::ServerOptions options;
  options.host = listen.host;
  options.port = listen.port;
  options.tls = listen.tls;
  options.io_threads = 1;  // what takes long is not done on it
  // A catalog of thousands of services may be put to the scripted broker; OSB bodies are checked again, and smaller.
  options.max_body_bytes = 16 * kMaxBody;
  CH_TRY_LET(listener, http::Server::listen(std::move(options), std::move(handler), metrics_));
  listener_ = std::move(listener);
  listener_->start();
  const bool is_v6 = listen.host.find(':') != std::string::npos;
  url_ = fmt::format("{}://{}{}{}:{}", listen.tls ? "https" : "http", is_v6 ? "[" : "", listen.host, is_v6 ? "]" : "",
                     listener_->port());
  return {};
}

BrokerHost::~BrokerHost() { stop(); }

void BrokerHost::stop() {
  if (listener_) listener_->stop(kGrace);
  if (finish_broker_) std::exchange(finish_broker_, nullptr)();
}

}  // namespace chandler::brokers
