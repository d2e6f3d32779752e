#include "app/volume_family.h"

#include <unistd.h>

#include <memory>
#include <utility>

#include "app/local_volume_sender.h"
#include "base/log.h"
#include "brokers/volumes/loop_mount.h"
#include "reconcilers/volume/claim_reconciler.h"
#include "reconcilers/volume/volume_reconciler.h"

namespace chandler::app {
namespace {

std::string host_name() {
  char host[256] = "localhost";
  (void)::gethostname(host, sizeof(host) - 1);
  return host;
}

Result<void> furnish(const std::vector<brokers::PoolPlace>& places, reconcilers::VolumeSettings settings,
                     LocalVolumeSender& sender, controller::Engine& engine) {
  CH_TRY(sender.open(places));
  const auto lacks = places.empty() ? "" : brokers::loop::missing();
  settings.has_images = !places.empty() && lacks.empty();
  if (!lacks.empty()) log::info("volumes are directories only", {{"why", lacks}});
  engine.add(std::make_unique<reconcilers::ClaimReconciler>(settings));
  engine.add(std::make_unique<reconcilers::VolumeReconciler>(settings));
  return {};
}

}  // namespace

Result<Family> volume_family(const VolumeOptions& options) {
  auto texts = options.local_volume_pools;
  if (texts.empty() && !options.default_pool_directory.empty()) {
    texts.push_back("default=" + options.default_pool_directory);
  }
  CH_TRY_LET(places, brokers::parse_pools(texts));
  reconcilers::VolumeSettings settings;
  for (const auto& place : places) settings.pools.push_back({place.name, place.zone});
  settings.node = options.volume_node.empty() ? host_name() : options.volume_node;
  settings.binds = options.bind_volumes;

  const auto sender = std::make_shared<LocalVolumeSender>();
  Family family;
  family.duty = "volumes";
  family.account = "volume-controller";
  family.component = "volume-controller";
  family.groups = {"storage.k8s.io"};
  family.kinds = {reconcilers::kClaims, reconcilers::kVolumes, reconcilers::kStorageClasses};
  family.calls = sender;
  family.furnish = [places = std::move(places), settings = std::move(settings), sender](
                       client::Api&, controller::Engine& engine) { return furnish(places, settings, *sender, engine); };
  return family;
}

}  // namespace chandler::app
