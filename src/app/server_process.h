// The composition root: which parts `chandler serve` consists of, in the order in which they start. Stopping is the
// reverse.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/serve_options.h"
#include "base/result.h"

namespace chandler::app {

class ServerProcess {
 public:
  // Opens the data directory (creating keys and certificates at the first start), fills the memory, begins to listen.
  // `on_failure` runs once, on a thread of the store, when only a restart can tell what is stored: then stop(), which
  // writes nothing any more, and end the process.
  static Result<std::unique_ptr<ServerProcess>> start(const ServeOptions& options, std::function<void()> on_failure);
  ~ServerProcess();  // stop()

  const std::string& url() const;         // https://127.0.0.1:6443
  const std::string& kubeconfig() const;  // path of the administrator's
  size_t objects() const;                 // how many were found
  // Ends watches, finishes requests under way, flushes the store. Blocking, idempotent.
  void stop();

 private:
  struct Parts;
  explicit ServerProcess(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace chandler::app
