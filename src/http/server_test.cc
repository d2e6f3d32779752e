#include "http/server.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "http/test_client.h"

namespace chandler::http {
namespace {

using std::chrono::milliseconds;
using testing::Answer;
using testing::Client;
using testing::RunningServer;
using testing::text;

// Answers at once with what it got: "METHOD target body".
void echo(std::shared_ptr<Request> request, std::unique_ptr<Responder> responder) {
  responder->send(text(request->method_text + " " + request->target + " " + request->body));
}

// Hands requests to the test, which answers when it likes.
class Desk {
 public:
  Handler handler() {
    return [this](std::shared_ptr<Request>, std::unique_ptr<Responder> responder) {
      MutexLock lock(mutex_);
      waiting_.push_back(std::move(responder));
      arrived_.notify_all();
    };
  }
  std::unique_ptr<Responder> next() {
    MutexLock lock(mutex_);
    while (waiting_.empty()) arrived_.wait(mutex_);
    auto responder = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
    return responder;
  }

 private:
  Mutex mutex_;
  CondVar arrived_;
  std::vector<std::unique_ptr<Responder>> waiting_ CH_GUARDED_BY(mutex_);
};

TEST(Server, KeepsTheConnectionBetweenRequests) {
  RunningServer server(echo);
  Client client(server.port());
  for (int i = 0; i < 3; ++i) {
    const Answer answer = client.get("/" + std::to_string(i));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "GET /" + std::to_string(i) + " ");
    EXPECT_EQ(answer.header("Content-Type"), "text/plain");
    EXPECT_NE(answer.header("Date"), "");
    EXPECT_EQ(answer.header("Connection"), "");
  }
  EXPECT_EQ(server.metric("connections_total"), 1);
  EXPECT_EQ(server.metric("connections"), 1);
}

TEST(Server, CanEndAConnectionInsteadOfAnswering) {
  RunningServer server([](std::shared_ptr<Request> request, std::unique_ptr<Responder> responder) {
    Response response = text("alive");
    response.abort = request->target == "/die";
    if (request->target != "/later") return responder->send(std::move(response));
    response.abort = true;
    std::thread([](auto kept, auto late) { kept->send(std::move(late)); }, std::move(responder), std::move(response))
        .detach();
  });
  Client client(server.port());
  EXPECT_EQ(client.get("/").body, "alive");
  EXPECT_FALSE(client.get("/die").complete);
  EXPECT_TRUE(client.sees_end());
  Client other(server.port());
  EXPECT_FALSE(other.get("/later").complete);
  EXPECT_TRUE(other.sees_end());
  EXPECT_TRUE(server.becomes("connections", 0));
}

TEST(Server, ClosesWhenTheClientWantsIt) {
  RunningServer server(echo);
  Client client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(client.receive().header("Connection"), "close");
  EXPECT_TRUE(client.sees_end());
}

TEST(Server, AnswersPipelinedRequestsInOrder) {
  RunningServer server(echo);
  Client client(server.port());
  std::string wire;
  for (int i = 0; i < 1000; ++i)
    wire += "PUT /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nb\r\n";
  std::thread sender([&] { EXPECT_TRUE(client.send(wire)); });
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(client.receive().body, "PUT /" + std::to_string(i) + " b");
  sender.join();
}

TEST(Server, AnswersPipelinedRequestsInOrderFromAnotherThread) {
  Desk desk;
  RunningServer server(desk.handler());
  Client client(server.port());
  client.send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\nGET /3 HTTP/1.1\r\nHost: x\r\n\r\n");
  client.end_sending();  // and still waits for all answers
  for (int i = 1; i <= 3; ++i) {
    desk.next()->send(text(std::to_string(i)));
    EXPECT_EQ(client.receive().body, std::to_string(i));
  }
  EXPECT_TRUE(client.sees_end());
}

TEST(Server, AnswersThousandsOfRequestsThatWereSentAheadOneByOne) {
  Desk desk;
  RunningServer server(desk.handler());
  Client client(server.port());
  constexpr int kRequests = 5000;  // more than is kept at once
  std::string wire;
  for (int i = 0; i < kRequests; ++i) wire += "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nb\r\n";
  std::thread sender([&] { EXPECT_TRUE(client.send(wire)); });
  for (int i = 0; i < kRequests; ++i) {
    desk.next()->send(text(std::to_string(i)));
    ASSERT_EQ(client.receive().body, std::to_string(i));
  }
  sender.join();
  EXPECT_EQ(server.metric("connections"), 1);
}

TEST(Server, ReadsChunkedBodies) {
  RunningServer server(echo);
  Client client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
  client.send("6\r\n world\r\n0\r\n\r\n");
  EXPECT_EQ(client.receive().body, "POST / hello world");
  EXPECT_EQ(client.get("/next").status, 200);
}

TEST(Server, SendsLargeBodiesAndTailsUnchanged) {
  const auto stored = std::make_shared<std::string>();
  for (int i = 0; stored->size() < 5'000'000; ++i) *stored += std::to_string(i);
  RunningServer server([&](std::shared_ptr<Request> request, std::unique_ptr<Responder> responder) {
    Response response;
    const size_t size = std::stoul(request->target.substr(1));
    response.body = stored->substr(0, size / 2);
    response.owner = stored;
    response.tail = std::string_view(*stored).substr(size / 2, size - size / 2);
    responder->send(std::move(response));
  });
  Client client(server.port());
  for (const size_t size :
       {0UL, 1UL, 1024UL, 16'000UL, 16'200UL, 16'384UL, 17'000UL, 33'000UL, 100'000UL, 5'000'000UL}) {
    const Answer answer = client.get("/" + std::to_string(size));
    EXPECT_TRUE(answer.body == stored->substr(0, size)) << size;
  }
}

TEST(Server, HeadHasTheHeadersOnly) {
  RunningServer server(echo);
  Client client(server.port());
  client.send("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n");
  const Answer answer = client.receive(false);
  EXPECT_EQ(answer.header("Content-Length"), "8");
  EXPECT_EQ(client.get("/b").body, "GET /b ");
}

TEST(Server, NoContentHasNoBody) {
  RunningServer server([](std::shared_ptr<Request>, std::unique_ptr<Responder> responder) {
    responder->send(text("not to be sent", 204));
  });
  Client client(server.port());
  EXPECT_EQ(client.get("/").header("Content-Length"), "");
  EXPECT_EQ(client.get("/").status, 204);
}

TEST(Server, AsksForTheBodyWhenTheClientExpectsThat) {
  RunningServer server(echo);
  Client client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.receive().status, 100);
  client.send("hello");
  EXPECT_EQ(client.receive().body, "POST / hello");
}

TEST(Server, RefusesATooLargeBodyBeforeItIsSent) {
  ServerOptions options;
  options.max_body_bytes = 10;
  RunningServer server(echo, options);
  Client client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n");
  const Answer answer = client.receive();
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(answer.header("Connection"), "close");
}

TEST(Server, ARefusalArrivesThoughTheClientIsStillSending) {
  ServerOptions options;
  options.max_body_bytes = 10;
  RunningServer server(echo, options);
  Client client(server.port());
  const std::string much(4'000'000, 'x');
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n" + much);
  EXPECT_EQ(client.receive().status, 413);
}

TEST(Server, RefusesWhatItCannotRead) {
  struct Row {
    std::string name, reason, wire;
    int want;
  };
  const std::vector<Row> rows = {
      {"garbage", "not HTTP", "hello\r\n\r\n", 400},
      {"large head", "above max_header_bytes", "GET / HTTP/1.1\r\nA: " + std::string(3000, 'a'), 431},
      {"large chunks", "above max_body_bytes",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n", 413},
  };
  ServerOptions options;
  options.max_header_bytes = 2000;
  options.max_body_bytes = 1000;
  options.error_page = [](int status, std::string_view what) {
    EXPECT_NE(what, "");
    return text("page " + std::to_string(status), status);
  };
  RunningServer server(echo, options);
  for (const Row& row : rows) {
    Client client(server.port());
    client.send(row.wire);
    const Answer answer = client.receive();
    EXPECT_EQ(answer.status, row.want) << row.name << ": " << row.reason;
    EXPECT_EQ(answer.body, "page " + std::to_string(row.want)) << row.name << ": " << row.reason;
    EXPECT_TRUE(client.sees_end()) << row.name << ": " << row.reason;
  }
}

TEST(Server, ServesHttp10WithoutKeepingTheConnection) {
  RunningServer server(echo);
  Client client(server.port());
  client.send("GET /old HTTP/1.0\r\n\r\n");
  EXPECT_EQ(client.receive().body, "GET /old ");
  EXPECT_TRUE(client.sees_end());
}

TEST(Server, CutsOffASlowHead) {
  ServerOptions options;
  options.header_timeout = milliseconds(20);
  RunningServer server(echo, options);
  Client client(server.port());
  client.send("GET / HTTP/1.1\r\nHost:");
  EXPECT_EQ(client.receive().status, 408);
  EXPECT_TRUE(client.sees_end());
}

TEST(Server, CutsOffASlowBody) {
  ServerOptions options;
  options.body_timeout = milliseconds(20);
  RunningServer server(echo, options);
  Client client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhe");
  EXPECT_EQ(client.receive().status, 408);
  EXPECT_TRUE(client.sees_end());
}

TEST(Server, ClosesIdleConnectionsWithoutAWord) {
  ServerOptions options;
  options.idle_timeout = milliseconds(20);
  RunningServer server(echo, options);
  Client fresh(server.port());
  EXPECT_TRUE(fresh.sees_end());
  EXPECT_TRUE(server.becomes("connections", 0));
}

TEST(Server, AHandlerMayTakeLongerThanAnyTimeout) {
  ServerOptions options;
  options.idle_timeout = options.header_timeout = options.body_timeout = options.write_timeout = milliseconds(1);
  Desk desk;
  RunningServer server(desk.handler(), options);
  Client client(server.port());
  Client other(server.port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  auto responder = desk.next();
  EXPECT_TRUE(other.sees_end());  // so at least one check of the timeouts has passed
  responder->send(text("late"));
  EXPECT_EQ(client.receive().body, "late");
}

TEST(Server, ADroppedResponderGives500) {
  RunningServer server([](std::shared_ptr<Request>, std::unique_ptr<Responder>) {});
  Client client(server.port());
  EXPECT_EQ(client.get("/").status, 500);
  EXPECT_EQ(client.get("/").status, 500);
}

TEST(Server, AResponderDroppedElsewhereGives500) {
  Desk desk;
  RunningServer server(desk.handler());
  Client client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  desk.next().reset();
  EXPECT_EQ(client.receive().status, 500);
}

TEST(Server, AnAnswerForAClientThatLeftIsDropped) {
  Desk desk;
  RunningServer server(desk.handler());
  auto client = std::make_unique<Client>(server.port());
  client->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  auto responder = desk.next();
  client.reset();
  responder->send(text("nobody"));
  EXPECT_TRUE(server.becomes("connections", 0));
}

// Answers when it is run, and tells on which thread that was.
struct AnsweringErrand final : Errand {
  explicit AnsweringErrand(std::unique_ptr<Responder> responder_in) : responder(std::move(responder_in)) {}
  void run() override {
    responder->send(text("run"));
    ran_on.set_value(std::this_thread::get_id());
  }
  std::unique_ptr<Responder> responder;
  std::promise<std::thread::id> ran_on;
};

TEST(Server, AnErrandAnswersOnTheConnectionsThread) {
  Desk desk;
  ServerOptions options;
  options.io_threads = 1;
  RunningServer server(desk.handler(), options);
  Client client(server.port());
  std::thread::id first;
  for (int i = 0; i < 2; ++i) {
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const auto errand = std::make_shared<AnsweringErrand>(desk.next());
    auto ran_on = errand->ran_on.get_future();
    errand->responder->hand_over(errand);
    EXPECT_EQ(client.receive().body, "run");
    const auto thread = ran_on.get();
    EXPECT_NE(thread, std::this_thread::get_id());
    if (i == 0) first = thread;
    EXPECT_EQ(thread, first);
  }
}

TEST(Server, AnErrandForAClientThatLeftIsRun) {
  Desk desk;
  RunningServer server(desk.handler());
  auto client = std::make_unique<Client>(server.port());
  client->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto errand = std::make_shared<AnsweringErrand>(desk.next());
  auto ran_on = errand->ran_on.get_future();
  client.reset();
  errand->responder->hand_over(errand);
  EXPECT_NE(ran_on.get(), std::this_thread::get_id());
  EXPECT_TRUE(server.becomes("connections", 0));
}

TEST(Server, RespondersMayOutliveTheServer) {
  Desk desk;
  std::unique_ptr<Responder> responder;
  {
    RunningServer server(desk.handler());
    Client client(server.port());
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    responder = desk.next();
    server.server->stop(milliseconds(0));
    EXPECT_TRUE(client.sees_end());
  }
  responder->send(text("too late"));
}

TEST(Server, StopLetsRequestsUnderWayFinish) {
  Desk desk;
  ServerOptions options;
  options.io_threads = 1;  // so that the end of one connection tells that the loop knows
  RunningServer server(desk.handler(), options);
  Client idle(server.port());
  Client busy(server.port());
  busy.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  auto responder = desk.next();
  std::thread stopping([&] { server.server->stop(std::chrono::seconds(60)); });
  EXPECT_TRUE(idle.sees_end());
  responder->send(text("done"));
  const Answer answer = busy.receive();
  EXPECT_EQ(answer.body, "done");
  EXPECT_EQ(answer.header("Connection"), "close");
  stopping.join();
  EXPECT_FALSE(Client(server.port()).connected());
  server.server->stop(milliseconds(0));  // again
}

TEST(Server, CanBeStoppedWithoutAStart) {
  metrics::Registry metrics;
  auto server = Server::listen({}, echo, metrics);
  ASSERT_TRUE(server.ok());
  EXPECT_NE((*server)->port(), 0);
  (*server)->stop(milliseconds(0));
}

TEST(Server, NamesTheAddressThatIsInUse) {
  RunningServer first(echo);
  metrics::Registry metrics;
  ServerOptions options;
  options.port = first.port();
  const auto second = Server::listen(options, echo, metrics);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("127.0.0.1:" + std::to_string(first.port())), std::string::npos);
  EXPECT_NE(second.error().message.find("choose another port"), std::string::npos);
}

TEST(Server, ClosesConnectionsAboveTheLimitAtOnce) {
  ServerOptions options;
  options.max_connections = 2;
  RunningServer server(echo, options);
  Client first(server.port());
  Client second(server.port());
  EXPECT_EQ(first.get("/").status, 200);
  EXPECT_EQ(second.get("/").status, 200);
  Client third(server.port());
  EXPECT_TRUE(third.sees_end());
  EXPECT_EQ(server.metric("rejected_connections_total"), 1);
  first.close();
  EXPECT_TRUE(server.becomes("connections", 1));
  Client fourth(server.port());
  EXPECT_EQ(fourth.get("/").status, 200);
}

TEST(Server, ServesTwoThousandConnections) {
  testing::raise_file_limit();
  RunningServer server(echo);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 2000; ++i) {
    clients.push_back(std::make_unique<Client>(server.port()));
    ASSERT_TRUE(clients.back()->connected()) << i;
  }
  for (int round = 0; round < 2; ++round) {
    for (auto& client : clients) client->send("GET /all HTTP/1.1\r\nHost: x\r\n\r\n");
    for (auto& client : clients) ASSERT_EQ(client->receive().body, "GET /all ");
  }
  EXPECT_EQ(server.metric("connections"), 2000);
  clients.clear();
  EXPECT_TRUE(server.becomes("connections", 0));
}

}  // namespace
}  // namespace chandler::http
