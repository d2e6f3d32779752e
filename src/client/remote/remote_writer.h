// Writer over HTTP.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "client/api.h"
#include "client/remote/remote_state.h"
#include "client/remote/sender.h"

namespace chandler::client {

class RemoteWriter final : public Writer {
 public:
  RemoteWriter(std::shared_ptr<Sender> sender, RemoteState& state, std::string field_manager,
               std::chrono::milliseconds shown_limit);
  // `done` runs on the client's thread when the state shows the write, or the limit has passed.
  void write(Write write, Done done) override;

 private:
  Result<Sender::Message> message(Write& write, const registry::Kind& kind) const;
  void on_answer(const Write& write, const registry::Kind& kind, const Object& before, Result<json::Value> answer,
                 Done done);
  // Waits for the object of that uid to be gone here too; "": the one that is known here.
  void on_deleted(const Write& write, std::string uid, Object last, Done done);

  const std::shared_ptr<Sender> sender_;
  RemoteState& state_;
  const std::string field_manager_;
  const std::chrono::milliseconds shown_limit_;
};

}  // namespace chandler::client
