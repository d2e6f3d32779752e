// HTTP/2 through a whole server: over TLS, with threads and real time.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <ctime>
#include <future>
#include <thread>

#include "base/mutex.h"
#include "http/http2_test_peer.h"
#include "http/server.h"
#include "http/test_client.h"

namespace chandler::http {
namespace {

using std::chrono::milliseconds;
using testing::Certificate;
using testing::Client;
using testing::Http2Peer;
using testing::make_certificate;
using testing::RunningServer;
using testing::text;

constexpr std::string_view kOffers{"\x02h2\x08http/1.1"};

std::string agreed_protocol(Client& client) {
  const unsigned char* name = nullptr;
  unsigned int length = 0;
  SSL_get0_alpn_selected(client.ssl(), &name, &length);
  return {reinterpret_cast<const char*>(name), length};
}

ServerOptions tls_options() {
  static const Certificate certificate = make_certificate("localhost");
  ServerOptions options;
  options.tls = TlsFiles{certificate.pem(), certificate.key_pem(), ""};
  return options;
}

// A client on a TLS connection that waits for what the server says.
class Http2Client {
 public:
  explicit Http2Client(uint16_t port, std::optional<uint32_t> window = std::nullopt) : peer(window), client_(port) {
    EXPECT_TRUE(client_.start_tls(nullptr, nullptr, kOffers));
    EXPECT_EQ(agreed_protocol(client_), "h2");
    flush();
  }

  bool flush() { return client_.send(peer.output()); }
  // Reads until the condition holds; false when the connection ends before.
  template <typename Condition>
  bool until(const Condition& holds) {
    while (!holds()) {
      flush();
      const std::string bytes = client_.receive_bytes();
      if (bytes.empty()) return holds();
      peer.input(bytes);
    }
    return true;
  }
  bool settled(int32_t stream) {
    return until([&] { return peer.is_settled(stream); });
  }
  bool has_head(int32_t stream) {
    return until([&] { return peer.answer(stream).status != 0; });
  }
  bool sees_end() {
    const auto begin = std::chrono::steady_clock::now();
    until([] { return false; });
    return std::chrono::steady_clock::now() - begin < std::chrono::seconds(15);  // else reading gave up
  }
  testing::StreamAnswer get(const std::string& target) {
    const int32_t id = peer.get(target);
    settled(id);
    return peer.answer(id);
  }
  void send_raw(const std::string& bytes) {  // past TLS
    EXPECT_EQ(::send(SSL_get_fd(client_.ssl()), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  void close() { client_.close(); }

  Http2Peer peer;

 private:
  Client client_;
};

// One text for all who watch, said bit by bit.
class Board {
 public:
  void say(const std::string& words) {
    std::vector<std::shared_ptr<Waker>> wakers;
    {
      MutexLock lock(mutex_);
      text_ += words;
      wakers = wakers_;
    }
    for (const auto& waker : wakers) waker->wake();
  }
  Response watch() {
    class BoardSource final : public BodySource {
     public:
      explicit BoardSource(Board& board) : board_(board) { ++board_.watchers; }
      ~BoardSource() override { --board_.watchers; }
      State fill(std::string& out, size_t) override {
        MutexLock lock(board_.mutex_);
        out += std::string_view(board_.text_).substr(seen_);
        seen_ = board_.text_.size();
        if (ends_) out += "bye";
        return ends_ ? State::kEnd : State::kWaiting;
      }
      void shut_down() override { ends_ = true; }

     private:
      Board& board_;
      size_t seen_ = 0;
      bool ends_ = false;
    };
    Response response;
    response.source = std::make_unique<BoardSource>(*this);
    response.on_start = [this](std::shared_ptr<Waker> waker) {
      MutexLock lock(mutex_);
      wakers_.push_back(std::move(waker));
    };
    return response;
  }
  bool watchers_become(int want) const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (watchers != want && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    return watchers == want;
  }

  std::atomic<int> watchers = 0;

 private:
  Mutex mutex_;
  std::string text_ CH_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Waker>> wakers_ CH_GUARDED_BY(mutex_);
};

Handler serving_board(Board& board) {
  return [&board](std::shared_ptr<Request> request, std::unique_ptr<Responder> responder) {
    responder->send(request->target == "/watch" ? board.watch() : text(request->target));
  };
}

TEST(Http2Server, TheHandshakeDecides) {
  struct Row {
    std::string reason;
    bool http2;
    std::string_view offers;
    std::string expected;
  };
  const std::vector<Row> rows = {
      {"both: the newer", true, kOffers, "h2"},
      {"the client's order does not matter", true, "\x08http/1.1\x02h2", "h2"},
      {"a client of HTTP/1.1", true, "\x08http/1.1", "http/1.1"},
      {"a client that offers nothing", true, "", ""},
      {"switched off", false, kOffers, "http/1.1"},
  };
  for (const Row& row : rows) {
    ServerOptions options = tls_options();
    options.http2 = row.http2;
    RunningServer server(
        [](std::shared_ptr<Request>, std::unique_ptr<Responder> responder) { responder->send(text("hello")); },
        options);
    Client client(server.port());
    ASSERT_TRUE(client.start_tls(nullptr, nullptr, row.offers)) << row.reason;
    EXPECT_EQ(agreed_protocol(client), row.expected) << row.reason;
    if (row.expected != "h2") {
      EXPECT_EQ(client.get("/").body, "hello") << row.reason;
    }
  }
}

TEST(Http2Server, AnswersFromOtherThreadsFindTheirStreams) {
  Mutex mutex;
  std::vector<std::pair<std::string, std::unique_ptr<Responder>>> waiting;
  RunningServer server(
      [&](std::shared_ptr<Request> request, std::unique_ptr<Responder> responder) {
        MutexLock lock(mutex);
        waiting.emplace_back(request->target, std::move(responder));
      },
      tls_options());
  Http2Client client(server.port());
  std::vector<int32_t> ids;
  for (int i = 0; i < 100; ++i) ids.push_back(client.peer.get("/" + std::to_string(i)));
  client.flush();
  std::thread other([&] {
    for (size_t answered = 0; answered < 100;) {
      std::vector<std::pair<std::string, std::unique_ptr<Responder>>> taken;
      {
        MutexLock lock(mutex);
        taken.swap(waiting);
      }
      answered += taken.size();
      for (auto& [target, responder] : taken) responder->send(text(target));
    }
  });
  for (int i = 0; i < 100; ++i) {
    const int32_t id = ids[static_cast<size_t>(i)];
    ASSERT_TRUE(client.settled(id));
    EXPECT_EQ(client.peer.answer(id).body, "/" + std::to_string(i));
  }
  other.join();
  EXPECT_EQ(server.metric("connections_total"), 1);
  EXPECT_EQ(server.metric("protocol_connections_total{protocol=\"h2\"}"), 1);
}

TEST(Http2Server, AResponderThatIsDroppedAnswers500) {
  RunningServer server([](std::shared_ptr<Request>, std::unique_ptr<Responder>) {}, tls_options());
  Http2Client client(server.port());
  EXPECT_EQ(client.get("/").status, 500);
}

// The sanitizers' own threads use time too, hence the wide margin: a loop that spins uses all of it.
TEST(Http2Server, PartOfARecordKeepsNoThreadBusy) {
  RunningServer server([](std::shared_ptr<Request>, std::unique_ptr<Responder>) {}, tls_options());
  Http2Client client(server.port());
  EXPECT_EQ(client.get("/").status, 500);
  client.send_raw(std::string("\x17\x03\x03\x40\x00", 5) + "the rest does not come");
  const auto used = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  const auto before = used();
  std::this_thread::sleep_for(milliseconds(400));  // what is measured
  EXPECT_LT(used() - before, milliseconds(200));
}

TEST(Http2Server, AnErrandAnswersOnTheConnectionsThread) {
  class AnswerErrand final : public Errand {
   public:
    explicit AnswerErrand(std::shared_ptr<Responder> responder) : responder_(std::move(responder)) {}
    void run() override { responder_->send(text("from the errand")); }

   private:
    const std::shared_ptr<Responder> responder_;
  };
  std::vector<std::thread> threads;
  RunningServer server(
      [&](std::shared_ptr<Request>, std::unique_ptr<Responder> responder) {
        threads.emplace_back([kept = std::shared_ptr<Responder>(std::move(responder))] {
          kept->hand_over(std::make_shared<AnswerErrand>(kept));
        });
      },
      tls_options());
  {
    Http2Client client(server.port());
    EXPECT_EQ(client.get("/").body, "from the errand");
    EXPECT_EQ(client.get("/").body, "from the errand");
  }
  for (auto& thread : threads) thread.join();
}

TEST(Http2Server, WatchesAndRequestsShareAConnection) {
  Board board;
  RunningServer server(serving_board(board), tls_options());
  Http2Client client(server.port());
  std::vector<int32_t> watches;
  for (int i = 0; i < 200; ++i) watches.push_back(client.peer.get("/watch"));
  for (const int32_t id : watches) ASSERT_TRUE(client.has_head(id));
  std::string said;
  for (int round = 0; round < 20; ++round) {
    board.say("event");
    said += "event";
    EXPECT_EQ(client.get("/other").body, "/other");
    for (const int32_t id : watches) {
      ASSERT_TRUE(client.until([&] { return client.peer.answer(id).body == said; }));
    }
  }
  EXPECT_EQ(server.metric("streams"), 200);
  client.peer.reset(watches[0]);
  client.flush();
  EXPECT_TRUE(board.watchers_become(199));
  client.close();
  EXPECT_TRUE(board.watchers_become(0));
  EXPECT_TRUE(server.becomes("streams", 0));
  EXPECT_TRUE(server.becomes("connections", 0));
}

TEST(Http2Server, LargeBodiesGoBothWays) {
  RunningServer server([](std::shared_ptr<Request> request,
                          std::unique_ptr<Responder> responder) { responder->send(text(request->body)); },
                       tls_options());
  Http2Client client(server.port());
  const std::string body(3 * 1024 * 1024, 'x');
  std::vector<int32_t> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(client.peer.request("POST", "/", {}, body));
  for (const int32_t id : ids) {
    ASSERT_TRUE(client.settled(id));
    EXPECT_TRUE(client.peer.answer(id).body == body);
  }
}

TEST(Http2Server, AClientThatDoesNotReadIsCutOff) {
  ServerOptions options = tls_options();
  options.write_timeout = milliseconds(50);
  std::atomic<size_t> given = 0;
  class Endless final : public BodySource {
   public:
    explicit Endless(std::atomic<size_t>& given) : given_(given) {}
    State fill(std::string& out, size_t budget) override {
      out.append(budget, 'x');
      given_ += budget;
      return State::kMore;
    }

   private:
    std::atomic<size_t>& given_;
  };
  RunningServer server(
      [&](std::shared_ptr<Request>, std::unique_ptr<Responder> responder) {
        Response response;
        response.source = std::make_unique<Endless>(given);
        responder->send(std::move(response));
      },
      options);
  // Windows that never close, and a socket that nobody reads.
  Http2Client client(server.port(), (1U << 31) - 1);
  client.peer.open_window(0, (1 << 30));
  client.peer.get("/");
  client.flush();
  EXPECT_TRUE(server.becomes("connections_total", 1));
  EXPECT_TRUE(server.becomes("connections", 0));
  EXPECT_LT(given.load(), 100'000'000U);
}

TEST(Http2Server, AnIdleConnectionIsToldGoodbye) {
  ServerOptions options = tls_options();
  options.idle_timeout = milliseconds(1'000);
  Board board;
  RunningServer server(serving_board(board), options);
  Http2Client client(server.port());
  EXPECT_EQ(client.get("/x").body, "/x");
  EXPECT_TRUE(client.sees_end());
  EXPECT_EQ(client.peer.goaway(), NGHTTP2_NO_ERROR);
}

TEST(Http2Server, AParkedWatchIsNotIdle) {
  ServerOptions options = tls_options();
  options.idle_timeout = milliseconds(1'000);
  options.write_timeout = milliseconds(50);
  Board board;
  RunningServer server(serving_board(board), options);
  Http2Client client(server.port());
  const int32_t id = client.peer.get("/watch");
  ASSERT_TRUE(client.has_head(id));
  Http2Client other(server.port());
  EXPECT_TRUE(other.sees_end()) << "the other one is, and by its end the time has passed";
  board.say("event");
  EXPECT_TRUE(client.until([&] { return client.peer.answer(id).body == "event"; }));
}

TEST(Http2Server, StopEndsWatchesCleanlyAndLetsRequestsFinish) {
  Board board;
  std::promise<std::unique_ptr<Responder>> kept;
  RunningServer server(
      [&](std::shared_ptr<Request> request, std::unique_ptr<Responder> responder) {
        if (request->target == "/slow") return kept.set_value(std::move(responder));
        serving_board(board)(request, std::move(responder));
      },
      tls_options());
  Http2Client client(server.port());
  Http2Client idle(server.port());
  idle.get("/");
  const int32_t watch = client.peer.get("/watch");
  const int32_t slow = client.peer.get("/slow");
  ASSERT_TRUE(client.has_head(watch));
  const std::unique_ptr<Responder> responder = kept.get_future().get();
  std::thread stopping([&] { server.server->stop(std::chrono::seconds(60)); });
  EXPECT_TRUE(idle.sees_end());
  EXPECT_EQ(idle.peer.goaway(), NGHTTP2_NO_ERROR);
  idle.close();
  EXPECT_TRUE(client.settled(watch));
  EXPECT_EQ(client.peer.answer(watch).body, "bye");
  EXPECT_TRUE(client.peer.answer(watch).complete);
  EXPECT_EQ(client.peer.goaway(), NGHTTP2_NO_ERROR);
  responder->send(text("done"));
  EXPECT_TRUE(client.settled(slow));
  EXPECT_EQ(client.peer.answer(slow).body, "done");
  EXPECT_TRUE(client.sees_end());
  client.close();
  stopping.join();
}

TEST(Http2Server, AFloodIsCountedAndEnded) {
  Board board;
  RunningServer server(serving_board(board), tls_options());
  Http2Client client(server.port());
  std::string pings;
  for (int i = 0; i < 3000; ++i) pings += testing::raw_frame(6, 0, 0, "12345678");
  client.peer.raw(pings);
  EXPECT_TRUE(client.sees_end());
  EXPECT_EQ(client.peer.goaway(), NGHTTP2_ENHANCE_YOUR_CALM);
  EXPECT_TRUE(server.becomes("calmed_connections_total", 1));
}

TEST(Http2Server, RespondersAndWakersMayOutliveTheServer) {
  Board board;
  std::unique_ptr<Responder> kept;
  std::promise<void> got;
  {
    RunningServer server(
        [&](std::shared_ptr<Request> request, std::unique_ptr<Responder> responder) {
          if (request->target == "/watch") return serving_board(board)(request, std::move(responder));
          kept = std::move(responder);
          got.set_value();
        },
        tls_options());
    Http2Client client(server.port());
    ASSERT_TRUE(client.has_head(client.peer.get("/watch")));
    client.peer.get("/");
    client.flush();
    got.get_future().wait();
  }
  board.say("to nobody");
  kept->send(text("to nobody"));
}

}  // namespace
}  // namespace chandler::http
