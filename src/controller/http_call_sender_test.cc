// With the real HTTP client: a broker that hangs holds no thread and delays no other broker.
#include "controller/http_call_sender.h"

#include <fstream>
#include <string>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "controller/engine_fixture.h"
#include "support/eventually.h"

namespace chandler::controller::testing {
namespace {

using ::chandler::testing::eventually;

int threads_of_this_process() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("Threads:")) return std::stoi(line.substr(8));
  }
  return -1;
}

// A port of this machine at which the test itself answers, or does not.
class Port {
 public:
  Port() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(::listen(listener_, 512), 0);
    socklen_t size = sizeof(address);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~Port() {
    for (const int fd : connections_) ::close(fd);
    ::close(listener_);
  }
  const std::string& url() const { return url_; }
  size_t connections() {
    for (int fd = ::accept(listener_, nullptr, nullptr); fd >= 0; fd = ::accept(listener_, nullptr, nullptr))
      connections_.push_back(fd);
    return connections_.size();
  }
  // The head of the request that came first, after which it is answered.
  std::string answer(std::string_view response) {
    std::string request;
    char buffer[4096];
    while (request.find("\r\n\r\n") == std::string::npos) {
      const auto got = ::read(connections_.at(0), buffer, sizeof(buffer));
      if (got <= 0) break;
      request.append(buffer, static_cast<size_t>(got));
    }
    EXPECT_EQ(::write(connections_.at(0), response.data(), response.size()), static_cast<ssize_t>(response.size()));
    return request;
  }

 private:
  const int listener_;
  std::string url_;
  std::vector<int> connections_;
};

TEST_F(EngineTest, HangingCallsHoldNoThreadAndDelayNobody) {
  constexpr size_t kCalls = 200;
  Port hanging;
  Port healthy;
  auto client = http::Client::create({});
  HttpCallSender http(*client);
  const int threads = threads_of_this_process();

  EngineOptions options;
  options.calls_per_lane = kCalls * 8 / 7 + 1;  // a namespace gets seven eighths
  engine = std::make_unique<Engine>(api, http, clock, metrics, options);
  engine->add(std::make_unique<FakeReconciler>([&](const client::Object& object, View& view) {
    if (!phase_of(object).empty()) return Step::done();
    if (view.outcome() != nullptr) return Step::write(to_phase(object, std::to_string(view.outcome()->answer.status)));
    const bool is_good = object.name() == "good";
    Step step = call(object, is_good ? "healthy" : "hanging");
    step.call->endpoint.url = is_good ? healthy.url() : hanging.url();
    step.call->call.body = json::Object{{"service_id", "s"}, {"plan_id", "p"}};
    return step;
  }));
  engine->start();
  for (size_t i = 0; i < kCalls; ++i) put_thing(fmt::format("bad{}", i));
  settle();
  ASSERT_TRUE(eventually([&] { return hanging.connections() == kCalls; }));
  EXPECT_EQ(threads_of_this_process(), threads);

  put_thing("good");
  settle();
  ASSERT_TRUE(eventually([&] { return healthy.connections() == 1; }));
  const auto request =
      healthy.answer("HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
  EXPECT_THAT(request, ::testing::StartsWith("PUT /v2/service_instances/good?"));
  EXPECT_TRUE(eventually([&] {
    settle();
    return phase("good") == "201";
  }));
  engine.reset();
  client->stop();
}

}  // namespace
}  // namespace chandler::controller::testing
