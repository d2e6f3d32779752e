// Carries out the calls of the local provisioner on the disks of this machine, where other calls go to brokers over
// HTTP. They wait in a queue for one thread, `volumes-0`. Thread-safe once open.
#pragma once

#include <memory>
#include <vector>

#include "base/pool.h"
#include "brokers/volumes/volume_pools.h"
#include "controller/call_sender.h"

namespace chandler::app {

class LocalVolumeSender final : public controller::CallSender {
 public:
  // Before the first call. Makes what is missing, mounts what is to be mounted, starts the thread.
  Result<void> open(std::vector<brokers::PoolPlace> places);
  void send(const osb::Endpoint& endpoint, const osb::Call& call, Done done) override;

 private:
  std::unique_ptr<brokers::VolumePools> pools_;
  std::unique_ptr<Pool> thread_;  // last: it ends before what it works on
};

// The answer to one call; blocks on the disk.
osb::Answer carry_out(brokers::VolumePools& pools, const osb::Call& call);

}  // namespace chandler::app
