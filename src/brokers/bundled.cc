#include "brokers/bundled.h"

#include <utility>

#include "base/ids.h"
#include "base/text.h"

namespace chandler::brokers {

Result<std::unique_ptr<BundledBrokers>> BundledBrokers::start(const std::string& data_dir,
                                                              osb::server::ParameterCheck check) {
  std::unique_ptr<BundledBrokers> bundled(new BundledBrokers());  // the constructor is private
  bundled->password_ = hex_encode(random_bytes(24));
  SqliteBrokerOptions options;
  options.data_dir = data_dir + "/sqlite";
  options.username = bundled->username_;
  options.password = bundled->password_;
  options.check = std::move(check);
  CH_TRY_LET(host, BrokerHost::start(std::move(options), Listen{}));
  bundled->sqlite_ = std::move(host);
  return bundled;
}

}  // namespace chandler::brokers
