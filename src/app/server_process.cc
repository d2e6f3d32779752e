#include "app/server_process.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "admission/admission.h"
#include "admission/cache_lookup.h"
#include "apiserver/audit/audit_log.h"
#include "apiserver/backups.h"
#include "apiserver/call.h"
#include "apiserver/health.h"
#include "apiserver/housekeeping/crd_controller.h"
#include "apiserver/lanes/lanes.h"
#include "apiserver/openapi.h"
#include "apiserver/request_metrics.h"
#include "apiserver/server.h"
#include "apiserver/version.h"
#include "apiserver/watch_stream.h"
#include "app/account_lookup.h"
#include "app/audit_setup.h"
#include "app/bootstrap.h"
#include "app/bundled_broker.h"
#include "app/catalog_family.h"
#include "app/data_store.h"
#include "app/database_urls.h"
#include "app/duties.h"
#include "app/families.h"
#include "app/family_run.h"
#include "app/foreground.h"
#include "app/history_keeper.h"
#include "app/housekeeping.h"
#include "app/oidc_setup.h"
#include "app/parameter_check.h"
#include "app/policy_follower.h"
#include "app/served_kinds.h"
#include "auth/key.h"
#include "auth/kubeconfig.h"
#include "auth/pki.h"
#include "auth/pki_renewal.h"
#include "auth/token_file.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory_limit.h"
#include "base/private_file.h"
#include "base/text.h"
#include "client/local/local_api.h"
#include "controller/http_call_sender.h"
#include "http/client.h"
#include "http/server.h"
#include "registry/kind_loader.h"
#include "storage/keyring.h"
#include "webhooks/webhook_reviewer.h"

namespace chandler::app {
namespace {

constexpr size_t kQueueLimit = 10'000;
constexpr size_t kMiB = 1024 * 1024;

std::string url_for(const std::string& host, uint16_t port) {
  const bool any = host == "0.0.0.0" || host == "::";
  const std::string name = any ? "127.0.0.1" : host.find(':') == std::string::npos ? host : "[" + host + "]";
  return fmt::format("https://{}:{}", name, port);
}

}  // namespace

// In the order in which they depend on each other; destroyed from the last to the first.
struct ServerProcess::Parts {
  ServeOptions options;
  std::set<std::string, std::less<>> chosen;  // duties that run
  std::vector<Family> families;               // that run
  const Clock& clock = system_clock();
  std::string url;
  std::string kubeconfig;
  metrics::Registry metrics;

  auth::Pki pki;
  std::vector<std::string> hosts;  // in the server's certificate
  std::optional<storage::Keyring> keyring;
  std::unique_ptr<registry::EmbeddedKinds> embedded;
  std::vector<registry::KindPtr> served;  // of the embedded ones
  registry::KindTable kinds;
  std::unique_ptr<registry::Cache> cache;
  auth::PolicyStore policy;
  std::optional<FileLock> data_lock;  // of a server without a database
  std::unique_ptr<storage::Store> store;

  std::unique_ptr<admission::CacheLookup> lookup;
  std::unique_ptr<admission::KindAdmission> admission;
  std::unique_ptr<registry::Objects> objects;
  std::unique_ptr<http::Client> webhook_client;
  std::unique_ptr<webhooks::WebhookReviewer> webhooks;

  std::unique_ptr<AccountLookup> accounts;
  std::shared_ptr<auth::ServiceAccountTokens> tokens;
  std::unique_ptr<http::Client> issuer_client;
  std::unique_ptr<auth::Chain> authenticator;

  std::unique_ptr<apiserver::OpenApi> openapi;
  apiserver::Health health;
  std::unique_ptr<apiserver::AuditLog> audit;
  std::unique_ptr<apiserver::Lanes> lanes;
  std::unique_ptr<apiserver::WatchTimer> timer;
  std::unique_ptr<apiserver::RequestMetrics> request_metrics;
  std::unique_ptr<Pool> pool;
  std::unique_ptr<apiserver::Services> services;
  std::unique_ptr<apiserver::Backups> backups;
  std::unique_ptr<apiserver::ApiServer> api;

  std::unique_ptr<Housekeeping> housekeeping;
  std::unique_ptr<HistoryKeeper> history;
  std::unique_ptr<http::Client> broker_client;
  std::unique_ptr<controller::HttpCallSender> sender;
  std::vector<std::unique_ptr<client::LocalApi>> family_apis;  // one each: families act under names of their own
  std::unique_ptr<brokers::BundledBrokers> bundled;
  std::vector<std::unique_ptr<FamilyRun>> runs;
  std::unique_ptr<http::Server> http;
  std::unique_ptr<auth::PkiRenewal> renewal;
  bool stopped = false;

  std::string key_file() const { return options.data_dir + "/encryption.keys"; }
  Result<void> open_data(const Address& address, std::function<void()> on_failure);
  void set_quota();
  Result<void> open_memory();
  Result<void> make_authentication();
  void make_api();
  // Where it is called, when the pool is full or not there.
  void run_on_pool(std::function<void()> work);
  void make_webhooks();
  void make_duties();
  Result<void> listen(const Address& address);
  Result<void> write_kubeconfig(const auth::Pki& certificates);
  void use_certificates(const auth::Pki& renewed);
  void make_families();
  Result<void> start_bundled_brokers(client::Api& catalog);
  Result<void> start_families();
  void stop();
};

Result<void> ServerProcess::Parts::open_data(const Address& address, std::function<void()> on_failure) {
  // The lock that opening the store takes comes first: nothing is touched while another server runs here.
  CH_TRY_LET(opened, open_data_store(options.data_dir, options.durability, metrics, std::move(on_failure)));
  data_lock = std::move(opened.lock);
  store = std::move(opened.store);
  hosts = options.hosts;
  if (address.host != "0.0.0.0" && address.host != "::") hosts.push_back(address.host);
  CH_TRY_LET(made, auth::load_or_create_pki(options.data_dir + "/pki", hosts, clock));
  pki = std::move(made);
  if (store->revision() > 0 && !file_exists(key_file())) {
    return internal_error(
        fmt::format("{} is missing, but the database holds data: put the file back from a backup; Secrets cannot be "
                    "read without it",
                    key_file()));
  }
  CH_TRY_LET(keys, storage::Keyring::open(key_file()));
  keyring = std::move(keys);
  return {};
}

Result<void> ServerProcess::Parts::open_memory() {
  kinds.put_all(served);
  cache = std::make_unique<registry::Cache>(&*keyring, metrics);
  for (const auto& kind : served) {
    if (kind->stored && kind->stored_as.empty()) CH_TRY(cache->serve(*kind));
  }
  CH_TRY(apiserver::CrdController::preload(*store, kinds, *cache));

  lookup = std::make_unique<admission::CacheLookup>(kinds, *cache);
  admission = std::make_unique<admission::KindAdmission>(*lookup, policy, clock);
  objects = std::make_unique<registry::Objects>(*store, *cache, &*keyring, *admission, clock);
  objects->retry_large_objects([this](std::function<void()> work) { run_on_pool(std::move(work)); });
  follow_policy(*cache, policy);
  make_webhooks();
  make_duties();
  if (auto followed = cache->follow(*store); !followed.ok()) {
    auto error = std::move(followed).error();
    error.message += fmt::format(" (key file: {})", key_file());
    return error;
  }
  set_quota();
  load_policy(*kinds.current(), *cache, policy);
  webhooks->load(*kinds.current(), *cache);
  return bootstrap_objects(*kinds.current(), *objects);
}

// Half of the memory by default: the other half is for history, indexes, requests, and the databases of brokers.
void ServerProcess::Parts::set_quota() {
  auto& quota = cache->quota();
  const auto memory = memory_limit();
  const size_t bytes =
      options.storage_quota_mib != 0 ? options.storage_quota_mib * kMiB : std::max<size_t>(memory.bytes / 2, kMiB);
  quota.set_limit(bytes);
  log::info("storage quota", {{"quota_mib", bytes / kMiB},
                              {"used_mib", quota.used() / kMiB},
                              {"memory_mib", memory.bytes / kMiB},
                              {"memory", memory.source}});
  if (quota.used() > bytes) {
    log::warn("the objects take more than the storage quota; writes that add bytes are refused",
              {{"used_bytes", quota.used()}, {"quota_bytes", bytes}});
  }
}

Result<void> ServerProcess::Parts::make_authentication() {
  accounts = std::make_unique<AccountLookup>(kinds, *cache);
  CH_TRY_LET(key, auth::SigningKey::from_pem(pki.sa_key_pem));
  tokens = std::make_shared<auth::ServiceAccountTokens>(std::move(key), auth::ServiceAccountTokens::Options(),
                                                        *accounts, clock);
  std::vector<std::shared_ptr<const auth::Authenticator>> methods = {std::make_shared<auth::ClientCertificates>(),
                                                                     tokens};
  if (!options.token_file.empty()) {
    CH_TRY_LET(text, read_given_file(options.token_file));
    CH_TRY_LET(file, auth::TokenFile::parse(text, options.token_file, tokens->audiences()));
    methods.push_back(std::make_shared<auth::TokenFile>(std::move(file)));
  }
  if (!options.oidc.issuer_url.empty()) {
    issuer_client = http::Client::create({});
    CH_TRY_LET(oidc, make_oidc_tokens(options.oidc, *issuer_client, tokens->audiences(), clock));
    methods.push_back(std::move(oidc));
  }
  authenticator = std::make_unique<auth::Chain>(std::move(methods));
  return {};
}

void ServerProcess::Parts::make_api() {
  openapi = std::make_unique<apiserver::OpenApi>(kinds, *cache);
  apiserver::Lanes::Options lane_options;
  lane_options.writes = options.lanes.max_writes;
  lane_options.heavy =
      options.lanes.max_heavy != 0 ? options.lanes.max_heavy : 2 * static_cast<uint32_t>(options.worker_threads);
  lane_options.bodies = 4 * static_cast<uint32_t>(options.worker_threads);
  lane_options.queue_per_user = options.lanes.max_queued_per_user;
  lane_options.longest_wait = std::chrono::seconds(options.lanes.max_wait_seconds);
  lanes = std::make_unique<apiserver::Lanes>(lane_options, metrics);
  timer = std::make_unique<apiserver::WatchTimer>(clock);
  timer->look_after(*lanes);
  request_metrics = std::make_unique<apiserver::RequestMetrics>(metrics);
  pool = std::make_unique<Pool>("api", options.worker_threads, kQueueLimit);
  health.add("ping", true, [] { return std::string(); });
  health.add("store", true, [this] { return store->failure(); });
  services = std::make_unique<apiserver::Services>(apiserver::Services{kinds, *cache, *objects, *authenticator, policy,
                                                                       *tokens, *accounts, *openapi, health, *timer,
                                                                       *request_metrics, metrics, *pool, clock});
  services->audit = audit.get();
  services->lanes = lanes.get();
  apiserver::Backups::Options backup_options;
  backup_options.directory = options.data_dir;
  backup_options.program = apiserver::program_version();
  backup_options.key_files = [this] { return read_key_files(options.data_dir); };
  backups = std::make_unique<apiserver::Backups>(*store, std::move(backup_options), clock);
  services->backups = backups.get();
  api = std::make_unique<apiserver::ApiServer>(*services);
}

void ServerProcess::Parts::run_on_pool(std::function<void()> work) {
  if (pool == nullptr || !pool->submit(work)) work();
}

// What follows a webhook's answer runs on the pool of the API.
void ServerProcess::Parts::make_webhooks() {
  webhook_client = http::Client::create({});
  webhooks = std::make_unique<webhooks::WebhookReviewer>(
      *webhook_client, *lookup, metrics, clock, [this](std::function<void()> work) { run_on_pool(std::move(work)); });
  webhooks->follow(*cache);
}

void ServerProcess::Parts::make_duties() {
  housekeeping = std::make_unique<Housekeeping>(chosen, options, kinds, *cache, *objects, clock, pki.ca_pem);
  make_families();
}

void ServerProcess::Parts::make_families() {
  if (families.empty()) return;
  broker_client = http::Client::create({});
  sender = std::make_unique<controller::HttpCallSender>(*broker_client);
  for (const auto& family : families) {
    family_apis.push_back(std::make_unique<client::LocalApi>(kinds, *cache, *objects, policy,
                                                             client::service_account("kube-system", family.account)));
    runs.push_back(std::make_unique<FamilyRun>(family, *family_apis.back(), *sender, clock, metrics));
  }
}

Result<void> ServerProcess::Parts::listen(const Address& address) {
  http::ServerOptions server;
  server.host = address.host;
  server.port = address.port;
  server.http2 = options.http2;
  server.io_threads = options.io_threads;
  server.tls = http::TlsFiles{pki.server_chain_pem, pki.server_key_pem, pki.ca_pem};
  server.error_page = apiserver::error_page;
  CH_TRY_LET(listening, http::Server::listen(
                            server,
                            [this](std::shared_ptr<http::Request> request, std::unique_ptr<http::Responder> responder) {
                              api->handle(std::move(request), std::move(responder));
                            },
                            metrics));
  http = std::move(listening);
  url = url_for(address.host, http->port());
  kubeconfig = options.data_dir + "/admin.kubeconfig";
  CH_TRY(write_kubeconfig(pki));
  renewal = std::make_unique<auth::PkiRenewal>(options.data_dir + "/pki", hosts, pki, clock,
                                               [this](const auth::Pki& renewed) { use_certificates(renewed); });
  return {};
}

// Written only when it changes, so that a full disk does not keep a server from starting.
Result<void> ServerProcess::Parts::write_kubeconfig(const auth::Pki& certificates) {
  const auto text = auth::admin_kubeconfig(url, certificates);
  const auto have = read_file(kubeconfig);
  if (have.ok() && *have == text && secure_file(kubeconfig).ok()) return {};
  return write_file(kubeconfig, text, 0600);
}

void ServerProcess::Parts::use_certificates(const auth::Pki& renewed) {
  auto done = http->reload(http::TlsFiles{renewed.server_chain_pem, renewed.server_key_pem, renewed.ca_pem});
  if (done.ok()) done = write_kubeconfig(renewed);
  if (!done.ok()) log::error("renewed certificates could not be put to use", {{"error", done.error().message}});
}

Result<void> ServerProcess::Parts::start_bundled_brokers(client::Api& catalog) {
  brokers::BundledOptions bundled_options;
  bundled_options.top = options.data_dir;
  CH_TRY_LET(urls, read_database_urls(options.database_urls));
  bundled_options.urls = std::move(urls);
  CH_TRY_LET(started, brokers::BundledBrokers::start(options.data_dir + "/brokers", check_parameters,
                                                     std::move(bundled_options)));
  bundled = std::move(started);
  return register_bundled_broker(catalog, *bundled);
}

// The brokers that come along are told to the catalog before its controllers look at it.
Result<void> ServerProcess::Parts::start_families() {
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i]->family().duty == kCatalogDuty && options.bundled_brokers) {
      CH_TRY(start_bundled_brokers(*family_apis[i]));
    }
    CH_TRY(runs[i]->start());
  }
  return {};
}

void ServerProcess::Parts::stop() {
  if (std::exchange(stopped, true)) return;
  renewal.reset();
  if (http != nullptr) http->stop(options.shutdown_grace);
  if (backups != nullptr) backups->stop();
  if (webhook_client != nullptr) webhook_client->stop();  // duties may be waiting for an answer
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) (*run)->stop();
  if (issuer_client != nullptr) issuer_client->stop();
  if (broker_client != nullptr) broker_client->stop();
  if (bundled != nullptr) bundled->stop();
  history.reset();
  if (housekeeping != nullptr) housekeeping->stop();
  if (pool != nullptr) pool->stop();
  if (audit != nullptr) audit->stop();
  if (store != nullptr) {
    store->stop();
    if (cache != nullptr) store->detach(*cache);
  }
}

ServerProcess::ServerProcess(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

ServerProcess::~ServerProcess() { stop(); }

Result<std::unique_ptr<ServerProcess>> ServerProcess::start(const ServeOptions& options,
                                                            std::function<void()> on_failure) {
  // What can be wrong with the flags is said before anything is touched.
  CH_TRY_LET(address, parse_address(options.listen));
  CH_TRY_LET(chosen, choose_duties(options.controllers));
  if (!options.oidc.issuer_url.empty()) CH_TRY(oidc_settings(options.oidc));
  auto family_options = options.families;
  family_options.volumes.default_pool_directory = options.data_dir + "/volumes";
  CH_TRY_LET(families, all_families(family_options));
  CH_TRY_LET(embedded, registry::EmbeddedKinds::load());
  CH_TRY_LET(served, served_kinds(embedded->kinds(), options.without_groups));
  const auto is_left_out = [&](std::string_view group) {
    return std::count(options.without_groups.begin(), options.without_groups.end(), group) > 0;
  };
  std::erase_if(families, [&](const Family& family) {
    return !chosen.contains(family.duty) || std::any_of(family.groups.begin(), family.groups.end(), is_left_out);
  });
  auto owned = std::unique_ptr<ServerProcess>(new ServerProcess(std::make_unique<Parts>()));
  auto& parts = *owned->parts_;
  parts.options = options;
  parts.chosen = std::move(chosen);
  parts.families = std::move(families);
  parts.embedded = std::move(embedded);
  parts.served = std::move(served);
  CH_TRY_LET(audit, make_audit_log(options.audit, parts.clock, parts.metrics));
  parts.audit = std::move(audit);
  if (parts.audit != nullptr) parts.audit->start();
  CH_TRY(parts.open_data(address, std::move(on_failure)));
  CH_TRY(parts.open_memory());
  CH_TRY(parts.make_authentication());
  parts.make_api();
  CH_TRY(parts.listen(address));
  parts.history = std::make_unique<HistoryKeeper>(*parts.store, *parts.cache, parts.clock, options.history,
                                                  options.history_mib * kMiB);
  parts.housekeeping->start();
  CH_TRY(parts.start_families());
  // What the server itself stores to begin with cannot wait for webhooks that may need this very server.
  parts.objects->use(*parts.webhooks);
  parts.http->start();
  return owned;
}

const std::string& ServerProcess::url() const { return parts_->url; }

const std::string& ServerProcess::kubeconfig() const { return parts_->kubeconfig; }

size_t ServerProcess::objects() const {
  size_t count = 0;
  const auto kinds = parts_->kinds.current();
  for (const auto& kind : kinds->all()) {
    if (kind->stored && kind->stored_as.empty()) count += parts_->cache->count(*kind);
  }
  return count;
}

void ServerProcess::stop() { parts_->stop(); }

}  // namespace chandler::app
