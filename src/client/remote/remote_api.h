// The API of another server, Chandler's or Kubernetes', over HTTP: the same interface as in process. Thread-safe; one
// thread of its own besides the HTTP client's.
//   RemoteApi api(*client, connection, embedded->kinds());
//   api.state().follow(kinds); api.state().wait_until_synced(30s); engine.start();
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "client/api.h"
#include "client/connection.h"
#include "client/remote/remote_access.h"
#include "client/remote/remote_state.h"
#include "client/remote/remote_writer.h"
#include "http/client.h"
#include "registry/kind.h"

namespace chandler::client {

struct RemoteOptions {
  std::string field_manager = "chandler-controllers";
  FollowOptions follow;
  AccessOptions access;
  // How long a finished write waits at most for the local state to show it.
  std::chrono::milliseconds shown_limit{10'000};
};

class RemoteApi final : public Api {
 public:
  // `kinds`: those that the program knows (registry::EmbeddedKinds), for URLs and selectable fields. Nothing is sent
  // before something is followed, written or asked. `client` outlives it.
  RemoteApi(http::Client& client, Connection connection, std::vector<registry::KindPtr> kinds,
            RemoteOptions options = {}, const Clock& clock = system_clock());
  ~RemoteApi() override;  // stop()
  RemoteApi(const RemoteApi&) = delete;
  RemoteApi& operator=(const RemoteApi&) = delete;

  RemoteState& state() override { return state_; }
  RemoteWriter& writer() override { return writer_; }
  RemoteAccess& access() override { return access_; }
  // Ends everything; writes under way end with an error, or as they were answered. Idempotent.
  void stop();

 private:
  const std::shared_ptr<Sender> sender_;
  RemoteState state_;
  RemoteWriter writer_;
  RemoteAccess access_;
};

}  // namespace chandler::client
