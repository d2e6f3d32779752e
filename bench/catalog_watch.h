// Follows one collection over a watch and says which of its objects are Ready. Belongs to one thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "http_client.h"

namespace chandler::bench {

class ReadyWatch {
 public:
  // Watches the collection from the revision on; returns when the server has accepted that.
  ReadyWatch(SSL_CTX& context, int port, const std::string& collection, const std::string& revision,
             const std::string& token);

  int descriptor() const { return connection_.descriptor(); }
  // Reads what has arrived and calls `ready` with the name of each object that an event shows as Ready.
  void read(const std::function<void(const std::string& name)>& ready);

 private:
  void unframe(std::string_view bytes);

  Connection connection_;
  std::string head_;  // of the answer, until it is complete
  std::string size_;  // of the chunk that begins, as far as it has arrived
  size_t left_ = 0;   // of the chunk, with the two bytes that end it
  std::string text_;  // events that are not complete
};

}  // namespace chandler::bench
