// The administrator's kubeconfig, with everything in it that kubectl needs.
#pragma once

#include <string>
#include <string_view>

#include "auth/pki.h"
#include "base/result.h"

namespace chandler::auth {

std::string admin_kubeconfig(std::string_view server_url, const Pki& pki);  // YAML; holds a private key
Result<void> write_admin_kubeconfig(const std::string& path, std::string_view server_url, const Pki& pki);  // 0600

}  // namespace chandler::auth
