#include "app/checksum_key.h"

#include <optional>
#include <string>
#include <utility>

#include "app/write_and_wait.h"
#include "base/ids.h"
#include "base/text.h"
#include "reconcilers/catalog/kinds.h"

namespace chandler::app {
namespace {

constexpr std::string_view kNamespace = "kube-system";
constexpr std::string_view kName = "chandler-parameter-checksums";
constexpr size_t kLength = resolve::ChecksumKey::kLength;

client::Write new_key() {
  client::Write write;
  write.verb = client::Write::Verb::kCreate;
  write.kind = reconcilers::kSecrets;
  write.ns = kNamespace;
  write.name = kName;
  write.object = {{"apiVersion", "v1"},
                  {"kind", "Secret"},
                  {"metadata", {{"name", "chandler-parameter-checksums"}, {"namespace", "kube-system"}}},
                  {"type", "Opaque"},
                  {"immutable", true},
                  {"data", {{"key", base64_encode(random_bytes(kLength))}}}};
  return write;
}

Result<resolve::ChecksumKey> read(const client::Object& secret) {
  const auto* encoded = json::find_path(secret.value(), {"data", "key"});
  const auto bytes = encoded != nullptr && encoded->is_string() ? base64_decode(json::view(encoded->get_string()))
                                                                : std::optional<std::string>();
  if (!bytes || bytes->size() != kLength) {
    return bad_request(
        "Secret kube-system/chandler-parameter-checksums does not hold 32 bytes under \"key\": put it back as it was, "
        "or "
        "delete it to have a key made; then changes of parameters from secrets, made meanwhile, go unnoticed");
  }
  return resolve::ChecksumKey(*bytes);
}

}  // namespace

Result<resolve::ChecksumKey> checksum_key(client::Api& api) {
  if (const auto secret = api.state().get(reconcilers::kSecrets, kNamespace, kName)) return read(secret);
  const auto made = write_and_wait(api.writer(), new_key());
  if (made.ok()) return read(*made);
  if (made.error().reason != Reason::kAlreadyExists) return fail(made.error());
  // Another candidate was faster, and its Secret is on the way to us.
  if (const auto secret = api.state().get(reconcilers::kSecrets, kNamespace, kName)) return read(secret);
  return unavailable("Secret kube-system/chandler-parameter-checksums was made a moment ago by others; start again");
}

}  // namespace chandler::app
