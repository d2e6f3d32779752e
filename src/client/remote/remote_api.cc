#include "client/remote/remote_api.h"

#include <utility>

namespace chandler::client {

RemoteApi::RemoteApi(http::Client& client, Connection connection, std::vector<registry::KindPtr> kinds,
                     RemoteOptions options, const Clock& clock)
    : sender_(std::make_shared<Sender>(client, std::move(connection))),
      state_(sender_, std::move(kinds), options.follow),
      writer_(sender_, state_, std::move(options.field_manager), options.shown_limit),
      access_(sender_, clock, options.access) {}

RemoteApi::~RemoteApi() { stop(); }

void RemoteApi::stop() {
  sender_->stop();
  state_.stop();
}

}  // namespace chandler::client
