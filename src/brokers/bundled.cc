#include "brokers/bundled.h"

#include <utility>

#include "base/ids.h"
#include "base/text.h"

namespace chandler::brokers {

Result<std::unique_ptr<BundledBrokers>> BundledBrokers::start(const std::string& data_dir,
                                                              osb::server::ParameterCheck check,
                                                              BundledOptions options) {
  std::unique_ptr<BundledBrokers> bundled(new BundledBrokers());  // the constructor is private
  bundled->password_ = hex_encode(random_bytes(24));
  ServiceBrokerOptions broker;
  broker.services.data_dir = data_dir;
  broker.services.top = std::move(options.top);
  broker.services.urls = std::move(options.urls);
  broker.services.names = std::move(options.services);
  broker.username = bundled->username_;
  broker.password = bundled->password_;
  broker.check = std::move(check);
  CH_TRY_LET(host, BrokerHost::start(std::move(broker), Listen{}));
  bundled->host_ = std::move(host);
  return bundled;
}

}  // namespace chandler::brokers
