#include "app/broker_command.h"

#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "app/database_urls.h"
#include "app/foreground.h"
#include "app/process_limits.h"
#include "base/file.h"
#include "base/log.h"
#include "base/private_file.h"
#include "base/text.h"
#include "brokers/broker_host.h"
#include "brokers/scripted/scripted_catalog.h"

namespace chandler::app {
namespace {

constexpr size_t kMaxGenerated = 1'000'000;  // plans in all

Result<brokers::Listen> listen_of(const BrokerOptions& options) {
  brokers::Listen listen;
  CH_TRY_LET(address, parse_address(options.listen));
  listen.host = std::move(address.host);
  listen.port = address.port;
  if (options.tls_cert.empty() != options.tls_key.empty()) {
    return bad_request("--tls-cert and --tls-key belong together; give both or none");
  }
  if (!options.tls_cert.empty()) {
    http::TlsFiles tls;
    CH_TRY_LET(certificate, read_file(options.tls_cert));
    CH_TRY_LET(key, read_given_file(options.tls_key));
    tls.certificate_chain_pem = std::move(certificate);
    tls.private_key_pem = std::move(key);
    listen.tls = std::move(tls);
  }
  return listen;
}

Result<std::string> password_of(const BrokerOptions& options, const std::string& host) {
  if (options.password_file.empty()) {
    if (host == "localhost" || host == "::1" || host.starts_with("127.")) return std::string();
    return bad_request("--password-file: needed, because the broker is reachable from other machines");
  }
  CH_TRY_LET(text, read_file(options.password_file));
  const auto password = trim(text);
  if (password.empty()) return bad_request(fmt::format("--password-file: {} is empty", options.password_file));
  return std::string(password);
}

Result<std::unique_ptr<brokers::BrokerHost>> start(const BrokerOptions& options) {
  CH_TRY_LET(listen, listen_of(options));
  CH_TRY_LET(password, password_of(options, listen.host));
  const std::string username = password.empty() ? "" : options.username;
  if (options.kind != "scripted") {
    brokers::ServiceBrokerOptions wish;
    wish.services.data_dir = options.data_dir;
    wish.services.names = {options.kind};
    CH_TRY_LET(urls, read_database_urls(options.urls));
    wish.services.urls = std::move(urls);
    wish.username = username;
    wish.password = std::move(password);
    wish.check = options.check;
    return brokers::BrokerHost::start(std::move(wish), listen);
  }
  brokers::ScriptedOptions scripted;
  scripted.username = username;
  scripted.password = std::move(password);
  scripted.check = options.check;
  if (options.generate_classes > 0) {
    const size_t plans = options.generate_plans == 0 ? 1 : options.generate_plans;
    if (plans > kMaxGenerated || options.generate_classes > kMaxGenerated / plans) {
      return bad_request(fmt::format("--generate-classes: at most {} plans in all can be generated", kMaxGenerated));
    }
    scripted.catalog = brokers::generated_catalog(options.generate_classes, plans);
  }
  return brokers::BrokerHost::start(std::move(scripted), listen);
}

}  // namespace

int run_broker(const BrokerOptions& options) {
  if (auto configured = configure_log(options.log_level, "text"); !configured.ok())
    return fail_with(configured.error());
  Signals signals;
  if (auto raised = raise_file_limit(); !raised.ok()) return fail_with(raised.error());
  auto host = start(options);
  if (!host.ok()) return fail_with(host.error());
  fmt::print("the {} broker is ready at {}\n", options.kind, (*host)->url());
  std::fflush(stdout);
  (void)signals.wait();
  (*host)->stop();
  log::flush();
  return 0;
}

}  // namespace chandler::app
