// X.509 certificates as the server makes and reads them: an authority of its own and what it issues. Everything goes in
// and out as PEM text. Pure but for the random serial numbers.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "auth/key.h"
#include "base/clock.h"
#include "base/result.h"

struct x509_st;

namespace chandler::auth {

class Certificate {
 public:
  static Result<Certificate> from_pem(std::string_view pem);  // the first one in the text

  WallTime expires() const;
  bool is_authority() const;
  bool signed_by(const Certificate& authority) const;
  bool holds(const KeyHandle& private_key) const;
  std::string common_name() const;
  std::vector<std::string> organizations() const;
  std::vector<std::string> hosts() const;  // names and addresses of subjectAltName, normalised and sorted

  const std::shared_ptr<x509_st>& handle() const { return handle_; }

 private:
  explicit Certificate(std::shared_ptr<x509_st> handle) : handle_(std::move(handle)) {}
  std::shared_ptr<x509_st> handle_;
};

struct CertificateOrder {
  enum class Use { kServer, kClient };
  Use use = Use::kServer;
  std::string common_name;
  std::vector<std::string> organizations;
  std::vector<std::string> hosts;
  WallTime from;
  WallTime until;
};

Result<std::string> new_authority(std::string_view common_name, const KeyHandle& key, WallTime from, WallTime until);
Result<std::string> issue_certificate(const CertificateOrder& order, const KeyHandle& subject,
                                      const Certificate& authority, const KeyHandle& authority_key);

bool is_ip_address(const std::string& host);
// Lower-case names, addresses in their usual form, sorted, each once: two lists that mean the same become equal.
std::vector<std::string> normalised_hosts(const std::vector<std::string>& hosts);

}  // namespace chandler::auth
