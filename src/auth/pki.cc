#include "auth/pki.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "auth/certificate.h"
#include "auth/key.h"
#include "auth/user.h"
#include "base/file.h"
#include "base/private_file.h"
#include "base/text.h"
#include "base/time_text.h"
#include "meta/names.h"

namespace chandler::auth {
namespace {

using std::chrono::days;

constexpr auto kAuthorityLifetime = days(3650);
constexpr auto kCertificateLifetime = days(365);
constexpr auto kRenewBefore = days(30);
constexpr auto kBackdate = std::chrono::minutes(5);  // for clients whose clock is a little behind

constexpr std::array<std::string_view, 7> kFiles = {"ca.crt",    "ca.key",    "server.crt", "server.key",
                                                    "admin.crt", "admin.key", "sa.key"};
constexpr unsigned kPrivateMode = 0600;
constexpr unsigned kPublicMode = 0644;

Error fault(const std::string& path, std::string_view what, std::string_view remedy) {
  Error error;
  error.reason = Reason::kInternalError;
  error.message = fmt::format("{} {}; {}", path, what, remedy);
  return error;
}

// Damaged, unreadable and readable by others are different faults, so a file that is there must be read.
Result<KeyHandle> load_key(const std::string& path, std::string& pem, std::string_view remedy) {
  CH_TRY_LET(text, read_private_file(path));
  auto key = read_private_key(text);
  if (!key) return fail(fault(path, "is not an unencrypted private key in PEM form", remedy));
  pem = std::move(text);
  return key;
}

Result<KeyHandle> load_or_create_key(const std::string& path, std::string& pem, std::string_view remedy) {
  if (!file_exists(path)) {
    CH_TRY_LET(made, new_private_key_pem());
    CH_TRY(write_file(path, made, kPrivateMode));
  }
  return load_key(path, pem, remedy);
}

class Directory {
 public:
  Directory(std::string path, const Clock& clock) : path_(std::move(path)), now_(clock.now()) {}

  Result<Pki> open(const std::vector<std::string>& hosts) {
    CH_TRY(secure_directory(path_));
    remove_leftovers();
    const bool first_start = !exists("ca.crt") && !exists("server.crt") && !exists("admin.crt");
    Pki pki;
    // Before the authority: once that is there, a missing key can only have been lost.
    CH_TRY(open_token_key(first_start, pki));
    CH_TRY_LET(authority_key, open_authority(first_start, pki));
    CH_TRY_LET(authority, read_authority(authority_key, pki));

    CertificateOrder server;
    server.common_name = "chandler";
    server.hosts = server_hosts(hosts);
    CH_TRY(open_certificate("server", server, authority, authority_key, pki.server_chain_pem, pki.server_key_pem));

    CertificateOrder admin;
    admin.use = CertificateOrder::Use::kClient;
    admin.common_name = "admin";
    admin.organizations = {std::string(kMasters)};
    CH_TRY(open_certificate("admin", admin, authority, authority_key, pki.admin_cert_pem, pki.admin_key_pem));
    return pki;
  }

 private:
  std::string file(std::string_view name) const { return fmt::format("{}/{}", path_, name); }
  bool exists(std::string_view name) const { return file_exists(file(name)); }

  // A process that is killed while it writes a file leaves what it wrote beside it; keys must not lie about for ever.
  void remove_leftovers() const {
    std::error_code ignored;
    for (std::filesystem::directory_iterator entry(path_, ignored), end; entry != end && !ignored;
         entry.increment(ignored)) {
      const std::string name = entry->path().filename();
      const bool ours = std::any_of(kFiles.begin(), kFiles.end(),
                                    [&](std::string_view file) { return name.starts_with(fmt::format("{}.", file)); });
      std::error_code failed;
      if (ours && name.ends_with(".tmp")) std::filesystem::remove(entry->path(), failed);
    }
  }

  static std::vector<std::string> server_hosts(const std::vector<std::string>& given) {
    std::vector<std::string> hosts = {"localhost",  "127.0.0.1",          "::1",
                                      "kubernetes", "kubernetes.default", "kubernetes.default.svc"};
    hosts.insert(hosts.end(), given.begin(), given.end());
    return normalised_hosts(hosts);
  }

  Result<void> open_token_key(bool first_start, Pki& pki) {
    const auto path = file("sa.key");
    constexpr std::string_view kRemedy =
        "restore it from a backup, or put a new EC P-256 key there (openssl ecparam -genkey -noout -name prime256v1): "
        "all service account tokens issued so far then stop working";
    if (!first_start && !file_exists(path)) return fail(fault(path, "is missing", kRemedy));
    CH_TRY_LET(key, load_or_create_key(path, pki.sa_key_pem, kRemedy));
    if (!VerifyingKey::from_handle(key).ok()) return fail(fault(path, "cannot sign tokens", kRemedy));
    return {};
  }

  static constexpr std::string_view kAuthorityRemedy =
      "restore ca.crt and ca.key from a backup, or remove all .crt files and ca.key to begin with a new authority: "
      "every "
      "client then needs a new kubeconfig";

  Result<KeyHandle> open_authority(bool first_start, Pki& pki) {
    const auto key_path = file("ca.key");
    if (!first_start) {
      for (const auto& path : {file("ca.crt"), key_path}) {
        if (!file_exists(path)) return fail(fault(path, "is missing", kAuthorityRemedy));
      }
    }
    std::string key_pem;
    CH_TRY_LET(key, load_or_create_key(key_path, key_pem, kAuthorityRemedy));
    if (first_start) {
      CH_TRY_LET(made, new_authority("chandler-ca", key, now_ - kBackdate, now_ + kAuthorityLifetime));
      CH_TRY(write_file(file("ca.crt"), made, kPublicMode));
    }
    CH_TRY_LET(text, read_file(file("ca.crt")));
    pki.ca_pem = std::move(text);
    return key;
  }

  Result<Certificate> read_authority(const KeyHandle& key, const Pki& pki) const {
    const auto path = file("ca.crt");
    auto authority = Certificate::from_pem(pki.ca_pem);
    if (!authority.ok()) return fail(fault(path, "is not a certificate in PEM form", kAuthorityRemedy));
    if (!authority->is_authority())
      return fail(fault(path, "is not the certificate of an authority", kAuthorityRemedy));
    if (!authority->holds(key)) return fail(fault(path, "does not belong to ca.key", kAuthorityRemedy));
    if (authority->expires() <= now_) {
      return fail(fault(path, "expired at " + rfc3339(authority->expires()), kAuthorityRemedy));
    }
    return authority;
  }

  Result<void> open_certificate(std::string_view name, CertificateOrder order, const Certificate& authority,
                                const KeyHandle& authority_key, std::string& certificate_pem, std::string& key_pem) {
    const auto path = file(fmt::format("{}.crt", name));
    const auto key_path = file(fmt::format("{}.key", name));
    CH_TRY_LET(key, load_or_create_key(key_path, key_pem, "remove it: a new one is made at the next start"));
    if (file_exists(path)) {
      CH_TRY_LET(text, read_file(path));
      const auto present = Certificate::from_pem(text);
      if (!present.ok()) {
        return fail(fault(path, "is not a certificate in PEM form", "remove it: a new one is made at the next start"));
      }
      if (still_good(*present, order, authority, key)) {
        certificate_pem = std::move(text);
        return {};
      }
    }
    order.from = now_ - kBackdate;
    order.until = std::min<WallTime>(now_ + kCertificateLifetime, authority.expires());
    CH_TRY_LET(made, issue_certificate(order, key, authority, authority_key));
    CH_TRY(write_file(path, made, kPublicMode));
    certificate_pem = std::move(made);
    return {};
  }

  bool still_good(const Certificate& present, const CertificateOrder& order, const Certificate& authority,
                  const KeyHandle& key) const {
    // A certificate that ends with the authority cannot be made to live longer.
    const bool lasts = present.expires() > now_ + kRenewBefore || present.expires() >= authority.expires();
    return lasts && present.holds(key) && present.signed_by(authority) && present.hosts() == order.hosts &&
           present.common_name() == order.common_name && present.organizations() == order.organizations;
  }

  const std::string path_;
  const WallTime now_;
};

}  // namespace

Result<Pki> load_or_create_pki(const std::string& directory, const std::vector<std::string>& hosts,
                               const Clock& clock) {
  for (const auto& host : hosts) {
    if (is_ip_address(host)) continue;
    if (const auto wrong = meta::check_dns1123_subdomain(to_lower(host)); !wrong.empty()) {
      return fail(bad_request(fmt::format("\"{}\" cannot be a name in the server's certificate: {}", host, wrong)));
    }
  }
  return Directory(directory, clock).open(hosts);
}

}  // namespace chandler::auth
