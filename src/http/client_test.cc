#include "http/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <future>

#include "base/text.h"
#include "http/test_client.h"

namespace chandler::http {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using testing::Certificate;
using ::testing::HasSubstr;
using testing::make_certificate;
using ::testing::Not;
using testing::RunningServer;
using testing::text;
using Kind = ClientFailure::Kind;

std::string url_of(uint16_t port, const std::string& path = "/", const std::string& host = "127.0.0.1") {
  return "http://" + host + ":" + std::to_string(port) + path;
}

ClientRequest get(std::string url) {
  ClientRequest request;
  request.url = std::move(url);
  request.timeout = milliseconds(20'000);
  return request;
}

// "METHOD target|header: value|...|body", the header fields that are not always there.
void show(std::shared_ptr<Request> request, std::unique_ptr<Responder> responder) {
  std::string all = request->method_text + " " + request->target;
  for (const auto& [name, value] : request->headers.fields()) {
    if (!equals_ignore_case(name, "Host")) all += "|" + name + ": " + value;
  }
  responder->send(text(all + "|" + request->body));
}

// Keeps every request without an answer.
class Silence {
 public:
  Handler handler() {
    return [this](std::shared_ptr<Request>, std::unique_ptr<Responder> responder) {
      MutexLock lock(mutex_);
      kept_.push_back(std::move(responder));
      arrived_.notify_all();
    };
  }
  void wait_for(size_t count) {
    MutexLock lock(mutex_);
    while (kept_.size() < count) arrived_.wait(mutex_);
  }

 private:
  Mutex mutex_;
  CondVar arrived_;
  std::vector<std::unique_ptr<Responder>> kept_ CH_GUARDED_BY(mutex_);
};

// A server made of raw bytes: connection after connection it reads one head and writes the next of `answers`; an
// answer that ends in "<keep>" leaves the connection open for one more head, which is read and then dropped.
class RawServer {
 public:
  explicit RawServer(std::vector<std::string> answers) : answers_(std::move(answers)) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    socklen_t size = sizeof address;
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    EXPECT_EQ(::listen(socket_, 16), 0);
    thread_ = std::thread([this] { serve(); });
  }
  ~RawServer() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;
  uint16_t port() const { return port_; }
  int heads() const { return heads_; }

 private:
  void serve() {
    for (std::string answer : answers_) {
      const int peer = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
      if (peer < 0) return;
      read_head(peer);
      const bool keep = answer.ends_with("<keep>");
      if (keep) answer.resize(answer.size() - 6);
      EXPECT_EQ(::send(peer, answer.data(), answer.size(), MSG_NOSIGNAL), static_cast<ssize_t>(answer.size()));
      if (keep) read_head(peer);
      ::close(peer);
    }
  }
  void read_head(int peer) {
    std::string head;
    char byte = 0;
    while (!head.ends_with("\r\n\r\n")) {
      if (::recv(peer, &byte, 1, 0) <= 0) return;
      head += byte;
    }
    ++heads_;
  }

  std::vector<std::string> answers_;
  int socket_ = -1;
  uint16_t port_ = 0;
  std::atomic<int> heads_{0};
  std::thread thread_;
};

class ClientTest : public ::testing::Test {
 protected:
  ClientResponse answer_to(ClientRequest request) {
    ClientOutcome outcome = client->send_and_wait(std::move(request));
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return outcome.ok() ? std::move(outcome).value() : ClientResponse{};
  }
  ClientFailure failure_of(ClientRequest request) {
    ClientOutcome outcome = client->send_and_wait(std::move(request));
    EXPECT_FALSE(outcome.ok());
    return outcome.ok() ? ClientFailure{} : std::move(outcome).error();
  }
  // Sends without waiting.
  std::pair<Client::Ticket, std::future<ClientOutcome>> start(ClientRequest request) {
    auto promise = std::make_shared<std::promise<ClientOutcome>>();
    auto outcome = promise->get_future();
    const auto ticket =
        client->send(std::move(request), [promise](ClientOutcome got) { promise->set_value(std::move(got)); });
    return {ticket, std::move(outcome)};
  }

  std::unique_ptr<Client> client = Client::create({});
};

TEST_F(ClientTest, SendsExactlyWhatItWasGiven) {
  RunningServer server(show);
  struct Row {
    std::string name, method, body;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string want;
  };
  const std::string agent = "|User-Agent: chandler|Accept: */*";
  for (const Row& row :
       std::vector<Row>{{"get", "GET", "", {}, "GET /p?q=%2F" + agent + "|"},
                        {"delete", "DELETE", "", {}, "DELETE /p?q=%2F" + agent + "|"},
                        {"delete with body", "DELETE", "{}", {}, "DELETE /p?q=%2F" + agent + "|Content-Length: 2|{}"},
                        {"put",
                         "PUT",
                         "{}",
                         {{"Content-Type", "application/json"}},
                         "PUT /p?q=%2F" + agent + "|Content-Type: application/json|Content-Length: 2|{}"},
                        {"empty put", "PUT", "", {}, "PUT /p?q=%2F" + agent + "|Content-Length: 0|"},
                        {"patch, empty value",
                         "PATCH",
                         "a",
                         {{"X-Empty", ""}},
                         "PATCH /p?q=%2F" + agent + "|X-Empty: |Content-Length: 1|a"},
                        {"own agent",
                         "POST",
                         "b",
                         {{"User-Agent", "me"}, {"Accept", "text/plain"}},
                         "POST /p?q=%2F|User-Agent: me|Accept: text/plain|Content-Length: 1|b"}}) {
    ClientRequest request = get(url_of(server.port(), "/p?q=%2F"));
    request.method = row.method;
    request.body = row.body;
    for (const auto& [name, value] : row.headers) request.headers.add(name, value);
    EXPECT_EQ(answer_to(std::move(request)).body, row.want) << row.name;
  }
  ClientRequest head = get(url_of(server.port(), "/"));
  head.method = "HEAD";
  const ClientResponse response = answer_to(std::move(head));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.get("content-type"), "text/plain");
  EXPECT_EQ(server.metric("connections_total"), 1);
}

TEST_F(ClientTest, LeavesThePathAsItIs) {
  RunningServer server(show);
  EXPECT_THAT(answer_to(get(url_of(server.port(), "/a/../b/./%2e%2E//c"))).body, HasSubstr("GET /a/../b/./%2e%2E//c|"));
}

TEST_F(ClientTest, CarriesLargeBodiesBothWays) {
  ServerOptions options;
  options.max_body_bytes = 16 << 20;
  RunningServer server([](std::shared_ptr<Request> request,
                          std::unique_ptr<Responder> responder) { responder->send(text(std::move(request->body))); },
                       options);
  std::string large;
  for (int i = 0; large.size() < 9'000'000; ++i) large += std::to_string(i);
  ClientRequest request = get(url_of(server.port()));
  request.method = "PUT";
  request.body = large;
  request.max_body_bytes = large.size();
  EXPECT_TRUE(answer_to(std::move(request)).body == large);
}

TEST_F(ClientTest, PassesOnAnyStatusAndDoesNotFollowRedirects) {
  RunningServer server([](std::shared_ptr<Request> request, std::unique_ptr<Responder> responder) {
    Response response = text("gone over there", std::stoi(request->target.substr(1)));
    response.headers.add("Location", "/200");
    response.headers.add("Retry-After", "7");
    responder->send(std::move(response));
  });
  for (const int status : {201, 301, 302, 307, 401, 404, 500}) {
    const ClientResponse response = answer_to(get(url_of(server.port(), "/" + std::to_string(status))));
    EXPECT_EQ(response.status, status);
    EXPECT_EQ(response.body, "gone over there");
    EXPECT_EQ(response.headers.get("Retry-After"), "7");
  }
}

TEST_F(ClientTest, AHangingPeerIsLeftAfterTheTime) {
  Silence silence;
  RunningServer server(silence.handler());
  ClientRequest request = get(url_of(server.port()));
  request.timeout = milliseconds(50);
  const ClientFailure failure = failure_of(std::move(request));
  EXPECT_EQ(failure.kind, Kind::kTimeout);
  EXPECT_TRUE(failure.may_have_arrived());
  EXPECT_THAT(failure.message, AllOf(HasSubstr("127.0.0.1:"), HasSubstr("50 ms")));
}

TEST_F(ClientTest, ARefusedConnectionSentNothing) {
  uint16_t port = 0;
  { port = RawServer({}).port(); }
  ClientRequest request = get(url_of(port));
  request.headers.add("Authorization", "Bearer hidden");
  const ClientFailure failure = failure_of(std::move(request));
  EXPECT_EQ(failure.kind, Kind::kConnect);
  EXPECT_FALSE(failure.sent);
  EXPECT_FALSE(failure.may_have_arrived());
  EXPECT_THAT(failure.message, AllOf(HasSubstr("refused"), Not(HasSubstr("hidden"))));
}

TEST_F(ClientTest, AnUnknownNameSentNothing) {
  const ClientFailure failure = failure_of(get("http://does-not-exist.invalid/"));
  EXPECT_EQ(failure.kind, Kind::kConnect);
  EXPECT_THAT(failure.message, HasSubstr("does-not-exist.invalid:80: "));
}

TEST_F(ClientTest, ABrokenAnswerMayHaveArrived) {
  struct Row {
    std::string name, answer;
  };
  for (const Row& row :
       {Row{"closed before the answer", ""}, Row{"closed in the head", "HTTP/1.1 200 OK\r\nConte"},
        Row{"closed in the body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345"},
        Row{"closed in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"},
        Row{"not HTTP", "hello\r\n\r\n"}, Row{"only an interim answer", "HTTP/1.1 100 Continue\r\n\r\n"}}) {
    RawServer server({row.answer});
    const ClientFailure failure = failure_of(get(url_of(server.port())));
    EXPECT_EQ(failure.kind, Kind::kBroken) << row.name << ": " << failure.message;
    EXPECT_TRUE(failure.may_have_arrived()) << row.name;
  }
}

TEST_F(ClientTest, ReadsInterimAnswersUnframedBodiesAndTrailers) {
  RawServer server({"HTTP/1.1 103 Early Hints\r\nX-A: 1\r\n\r\nHTTP/1.1 200 OK\r\nX-B: 2\r\n\r\nuntil the end",
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-B: 3\r\n\r\n2\r\nab\r\n0\r\nX-B: 4\r\n\r\n"});
  const ClientResponse first = answer_to(get(url_of(server.port())));
  EXPECT_EQ(first.body, "until the end");
  EXPECT_FALSE(first.headers.has("X-A"));
  EXPECT_EQ(first.headers.get("X-B"), "2");
  const ClientResponse second = answer_to(get(url_of(server.port())));
  EXPECT_EQ(second.body, "ab");
  EXPECT_EQ(second.headers.all("X-B").size(), 1U) << "trailers are not headers";
}

TEST_F(ClientTest, OnlyRepeatableRequestsAreSentAgainOnANewConnection) {
  struct Row {
    std::string method;
    bool again;
  };
  for (const Row& row :
       {Row{"GET", true}, Row{"PUT", true}, Row{"DELETE", true}, Row{"POST", false}, Row{"PATCH", false}}) {
    const std::string good = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    RawServer server({good + "<keep>", good});
    answer_to(get(url_of(server.port())));
    ClientRequest request = get(url_of(server.port()));
    request.method = row.method;
    if (row.again) {
      EXPECT_EQ(answer_to(std::move(request)).status, 200) << row.method;
      EXPECT_EQ(server.heads(), 3) << row.method;
    } else {
      const ClientFailure failure = failure_of(std::move(request));
      EXPECT_EQ(failure.kind, Kind::kBroken) << row.method << failure.message;
      EXPECT_TRUE(failure.sent);
      EXPECT_EQ(server.heads(), 2) << row.method;
    }
  }
}

TEST_F(ClientTest, TooLargeAnswersEndAtOnce) {
  RunningServer server([](std::shared_ptr<Request>, std::unique_ptr<Responder> responder) {
    responder->send(text(std::string(1001, 'a')));
  });
  ClientRequest request = get(url_of(server.port()));
  request.max_body_bytes = 1000;
  const ClientFailure body = failure_of(std::move(request));
  EXPECT_EQ(body.kind, Kind::kTooLarge);
  EXPECT_TRUE(body.may_have_arrived());
  request = get(url_of(server.port()));
  request.max_body_bytes = 1001;
  EXPECT_EQ(answer_to(std::move(request)).body.size(), 1001U);

  std::string many = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 300; ++i) many += "X: y\r\n";
  std::string interim;
  for (int i = 0; i < 4000; ++i) interim += "HTTP/1.1 100 Continue\r\n\r\n";
  RawServer raw({"HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'x') + "\r\n\r\n", many + "\r\n", interim});
  EXPECT_EQ(failure_of(get(url_of(raw.port()))).kind, Kind::kTooLarge) << "one long field";
  EXPECT_EQ(failure_of(get(url_of(raw.port()))).kind, Kind::kTooLarge) << "many fields";
  EXPECT_EQ(failure_of(get(url_of(raw.port()))).kind, Kind::kTooLarge) << "endless interim answers";
}

TEST_F(ClientTest, RequestsThatCouldSmuggleAreRefused) {
  struct Row {
    std::string reason, method, url, header, value;
  };
  for (const Row& row :
       std::vector<Row>{{"a line break in the URL adds headers", "GET", "http://a/\r\nX: y", "", ""},
                        {"a blank in the URL ends it", "GET", "http://a/b HTTP/1.1", "", ""},
                        {"zero bytes cut texts", "GET", std::string("http://a/\0b", 11), "", ""},
                        {"not ASCII", "GET", "http://a/\xC3\xA9", "", ""},
                        {"user information is sent as credentials", "GET", "http://user:pw@a/", "", ""},
                        {"other protocols", "GET", "file:///etc/passwd", "", ""},
                        {"other protocols", "GET", "gopher://a/", "", ""},
                        {"no protocol", "GET", "a/b", "", ""},
                        {"nothing", "GET", "", "", ""},
                        {"no host", "GET", "http:///b", "", ""},
                        {"port out of range", "GET", "http://a:99999/", "", ""},
                        {"a line break in a value", "GET", "http://a/", "X-A", "b\r\nX-C: d"},
                        {"a bare line feed", "GET", "http://a/", "X-A", "b\nX-C: d"},
                        {"a zero byte", "GET", "http://a/", "X-A", std::string("b\0c", 3)},
                        {"a colon in a name", "GET", "http://a/", "X-A: b\r\nX", "c"},
                        {"an empty name", "GET", "http://a/", "", "c"},
                        {"framing is ours", "GET", "http://a/", "transfer-encoding", "chunked"},
                        {"framing is ours", "GET", "http://a/", "Content-Length", "5"},
                        {"a method is one word", "GET / HTTP/1.1\r\nX: y", "http://a/", "", ""},
                        {"no method", "", "http://a/", "", ""}}) {
    ClientRequest request = get(row.url);
    request.method = row.method;
    if (!row.header.empty() || !row.value.empty()) request.headers.add(row.header, row.value);
    const ClientFailure failure = failure_of(std::move(request));
    EXPECT_EQ(failure.kind, Kind::kBadRequest) << row.reason << ": " << failure.message;
    EXPECT_THAT(failure.message, Not(HasSubstr("pw"))) << row.reason;
    EXPECT_FALSE(failure.may_have_arrived());
  }
}

std::shared_ptr<const AddressRules> rules(std::string_view denied, bool allow_local) {
  return std::make_shared<AddressRules>(AddressRules::parse(denied, allow_local, {"ask", "do not ask"}).value());
}

TEST_F(ClientTest, NoConnectionGoesWhereTheRulesForbid) {
  RunningServer server(show);
  for (const std::string host : {"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433"}) {
    ClientRequest request = get(url_of(server.port(), "/", host));
    request.addresses = rules("", false);
    const ClientFailure failure = failure_of(std::move(request));
    EXPECT_EQ(failure.kind, Kind::kRefused) << host << ": " << failure.message;
    EXPECT_FALSE(failure.sent);
  }
  EXPECT_EQ(server.metric("connections_total"), 0);
}

TEST_F(ClientTest, ARefusalSaysWhyButNotWhereANameLeads) {
  RunningServer server(show);
  struct Row {
    std::string reason, denied;
    bool allow_local;
    std::string want;
  };
  for (const Row& row : {Row{"this machine", "", false, ": the address is not allowed: it is a loopback address; ask"},
                         Row{"denied, also if local addresses are allowed", "127.0.0.0/8,::1/128", true,
                             ": the address is not allowed: its network is denied; do not ask"}}) {
    ClientRequest request = get(url_of(server.port(), "/", "localhost"));
    request.addresses = rules(row.denied, row.allow_local);
    EXPECT_THAT(failure_of(std::move(request)).message,
                AllOf(HasSubstr("localhost"), HasSubstr(row.want), Not(HasSubstr("127.")), Not(HasSubstr("::1"))))
        << row.reason;
  }
  ClientRequest allowed = get(url_of(server.port(), "/", "localhost"));
  allowed.addresses = rules("private", true);
  EXPECT_EQ(answer_to(std::move(allowed)).status, 200);
}

TEST_F(ClientTest, AKeptConnectionIsNotUsedWhereTheRulesForbid) {
  std::atomic<int> asked = 0;
  RunningServer server([&asked](std::shared_ptr<Request> request, std::unique_ptr<Responder> responder) {
    ++asked;
    show(std::move(request), std::move(responder));
  });
  int round = 0;
  for (const auto& forbidding : {rules("", false), rules("127.0.0.0/8", true)}) {
    answer_to(get(url_of(server.port())));
    ++round;
    ClientRequest request = get(url_of(server.port(), "/secret"));
    request.addresses = forbidding;
    EXPECT_EQ(failure_of(std::move(request)).kind, Kind::kRefused);
    EXPECT_EQ(asked, round);
    EXPECT_EQ(server.metric("connections_total"), round) << "no other connection was made either";
  }
}

TEST_F(ClientTest, CancelEndsOneRequest) {
  Silence silence;
  RunningServer server(silence.handler());
  auto [first, first_outcome] = start(get(url_of(server.port())));
  auto [second, second_outcome] = start(get(url_of(server.port())));
  silence.wait_for(2);
  client->cancel(first);
  const ClientOutcome outcome = first_outcome.get();
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().kind, Kind::kCancelled);
  EXPECT_TRUE(outcome.error().may_have_arrived());
  EXPECT_EQ(second_outcome.wait_for(milliseconds(0)), std::future_status::timeout);
  client->cancel(first);  // over already
  client->cancel(12345);  // never was
  client->cancel(second);
  EXPECT_FALSE(second_outcome.get().ok());
}

TEST_F(ClientTest, StopCancelsEverythingAndLaterRequests) {
  Silence silence;
  RunningServer server(silence.handler());
  std::vector<std::future<ClientOutcome>> outcomes;
  for (int i = 0; i < 10; ++i) outcomes.push_back(start(get(url_of(server.port()))).second);
  silence.wait_for(10);
  client->stop();
  outcomes.push_back(start(get(url_of(server.port()))).second);
  for (auto& outcome : outcomes) {
    ASSERT_EQ(outcome.wait_for(milliseconds(0)), std::future_status::ready);
    EXPECT_EQ(outcome.get().error().kind, Kind::kCancelled);
  }
  client->stop();
}

TEST_F(ClientTest, ACallbackMaySendAgain) {
  RunningServer server(show);
  std::promise<int> end;
  std::function<void(int)> next = [&](int left) {
    client->send(get(url_of(server.port())), [&, left](ClientOutcome outcome) {
      EXPECT_TRUE(outcome.ok());
      if (left == 0) {
        end.set_value(outcome->status);
      } else {
        next(left - 1);
      }
    });
  };
  next(100);
  EXPECT_EQ(end.get_future().get(), 200);
  EXPECT_EQ(server.metric("connections_total"), 1);
}

size_t thread_count() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++count;
  return count;
}

TEST_F(ClientTest, HangingRequestsHoldNoThreads) {
  Silence silence;
  RunningServer server(silence.handler());
  const size_t before = thread_count();
  std::vector<std::future<ClientOutcome>> outcomes;
  for (int i = 0; i < 200; ++i) outcomes.push_back(start(get(url_of(server.port()))).second);
  silence.wait_for(200);
  EXPECT_EQ(thread_count(), before);
  client->stop();
  for (auto& outcome : outcomes) EXPECT_FALSE(outcome.get().ok());
}

TEST_F(ClientTest, TheNumberOfRequestsUnderWayIsBounded) {
  Silence silence;
  RunningServer server(silence.handler());
  Client::Options options;
  options.max_requests = 2;
  client = Client::create(options);
  auto [first, first_outcome] = start(get(url_of(server.port())));
  auto second_outcome = start(get(url_of(server.port()))).second;
  EXPECT_EQ(failure_of(get(url_of(server.port()))).kind, Kind::kConnect);
  client->cancel(first);
  EXPECT_FALSE(first_outcome.get().ok());
  auto third_outcome = start(get(url_of(server.port()))).second;
  client->stop();
  EXPECT_EQ(third_outcome.get().error().kind, Kind::kCancelled) << "there was room again";
}

}  // namespace
}  // namespace chandler::http
