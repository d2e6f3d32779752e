// Requests and responses as the rest of the program sees them: independent of HTTP version and of the socket library.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chandler::http {

enum class Method { kGet, kHead, kPost, kPut, kPatch, kDelete, kOptions, kOther };
std::string_view method_name(Method method);  // "GET"

// Header fields in order of arrival; names are compared without case.
class Headers {
 public:
  void add(std::string_view name, std::string_view value);
  void set(std::string_view name, std::string_view value);  // replaces all of that name
  void remove(std::string_view name);
  std::string_view get(std::string_view name) const;  // first value, "" when absent
  bool has(std::string_view name) const;
  std::vector<std::string_view> all(std::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

// What TLS told about the peer; the same for all requests of a connection.
struct Peer {
  std::string address;  // "127.0.0.1:41234"
  bool tls = false;
  // Verified client certificate, if one was presented: subject common name, organizations, and the SHA-256 of its DER.
  std::string common_name;
  std::vector<std::string> organizations;
  std::string fingerprint;
};

struct Request {
  Method method = Method::kGet;
  std::string method_text;  // as sent, for messages
  std::string target;       // "/api/v1/pods?limit=500", not decoded
  Headers headers;
  std::string body;  // complete, within the limit
  std::shared_ptr<const Peer> peer;
};

// A body that is produced piece by piece. All calls come from the connection's I/O thread.
class BodySource {
 public:
  enum class State {
    kMore,     // pieces were appended, or can be at once: call again when these are sent
    kWaiting,  // nothing now; the source calls its Waker when there is
    kEnd,      // that was all
  };
  virtual ~BodySource() = default;
  // Appends up to about `budget` bytes to `out`.
  virtual State fill(std::string& out, size_t budget) = 0;
  // The server stops: say what is still to be said in the next fill(), then return kEnd.
  virtual void shut_down() {}
};

// Lets any thread say that a waiting source has more. Cheap, coalescing, safe after the connection is gone.
class Waker {
 public:
  virtual ~Waker() = default;
  virtual void wake() = 0;
};

struct Response {
  int status = 200;
  // Nothing is sent and the connection is closed, as if the server had died: for brokers that are scripted to fail.
  bool abort = false;
  Headers headers;  // Content-Type and the like; length, date and connection fields are added when sent
  std::string body;
  // Bytes sent after `body`, kept alive by `owner`: a stored document goes out without being copied into a string.
  std::shared_ptr<const void> owner;
  std::string_view tail;

  // Instead of body: a source. With `content_length` set the length is announced, otherwise it goes out chunked.
  std::unique_ptr<BodySource> source;
  std::optional<uint64_t> content_length;
  // Called once, on the I/O thread, with the connection's waker before the first fill().
  std::function<void(std::shared_ptr<Waker>)> on_start;
};

// Something that is to be done on a connection's own thread.
class Errand {
 public:
  virtual ~Errand() = default;
  virtual void run() = 0;
};

// Answers one request, from any thread, exactly once. If destroyed unused, the client gets a 500.
class Responder {
 public:
  virtual ~Responder() = default;
  virtual void send(Response response) = 0;
  // Runs the errand on the connection's thread, for an answer that is made there rather than where its content came up:
  // what it needs is then allocated and freed by one thread, and the other can go on. Runs as well when the client has
  // gone; dropped when the server has stopped.
  virtual void hand_over(std::shared_ptr<Errand> errand) { errand->run(); }
};

// Called on an I/O thread: must not block. It may answer at once or keep the responder and answer later.
using Handler = std::function<void(std::shared_ptr<Request>, std::unique_ptr<Responder>)>;

}  // namespace chandler::http
