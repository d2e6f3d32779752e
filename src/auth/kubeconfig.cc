#include "auth/kubeconfig.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"

namespace chandler::auth {

std::string admin_kubeconfig(std::string_view server_url, const Pki& pki) {
  // A JSON string is a YAML string, so quoted() makes any URL safe.
  return fmt::format(
      R"(apiVersion: v1
kind: Config
clusters:
- name: chandler
  cluster:
    server: {}
    certificate-authority-data: {}
users:
- name: admin
  user:
    client-certificate-data: {}
    client-key-data: {}
contexts:
- name: admin@chandler
  context:
    cluster: chandler
    user: admin
current-context: admin@chandler
)",
      quoted(server_url), base64_encode(pki.ca_pem), base64_encode(pki.admin_cert_pem),
      base64_encode(pki.admin_key_pem));
}

Result<void> write_admin_kubeconfig(const std::string& path, std::string_view server_url, const Pki& pki) {
  return write_file(path, admin_kubeconfig(server_url, pki), 0600);
}

}  // namespace chandler::auth
