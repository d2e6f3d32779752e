// Bodies from a BodySource, as a watch uses them.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "http/server.h"
#include "http/test_client.h"

namespace chandler::http {
namespace {

using std::chrono::milliseconds;
using testing::Answer;
using testing::Client;
using testing::RunningServer;

// What a stream and the test share: text to send, and what has become of the source.
class Feed {
 public:
  void start(std::shared_ptr<Waker> waker) {
    MutexLock lock(mutex_);
    waker_ = std::move(waker);
  }
  void say(const std::string& words, bool last = false) {
    std::shared_ptr<Waker> waker;
    {
      MutexLock lock(mutex_);
      words_ += words;
      last_ = last_ || last;
      waker = waker_;
    }
    if (waker) waker->wake();
  }
  BodySource::State fill(std::string& out) {
    MutexLock lock(mutex_);
    out += words_;
    words_.clear();
    return last_ ? BodySource::State::kEnd : BodySource::State::kWaiting;
  }
  std::promise<void> destroyed;

 private:
  Mutex mutex_;
  std::string words_ CH_GUARDED_BY(mutex_);
  bool last_ CH_GUARDED_BY(mutex_) = false;
  std::shared_ptr<Waker> waker_ CH_GUARDED_BY(mutex_);
};

class FeedSource final : public BodySource {
 public:
  explicit FeedSource(std::shared_ptr<Feed> feed) : feed_(std::move(feed)) {}
  ~FeedSource() override { feed_->destroyed.set_value(); }
  State fill(std::string& out, size_t) override { return feed_->fill(out); }
  void shut_down() override { feed_->say("bye", true); }

 private:
  const std::shared_ptr<Feed> feed_;
};

Handler serving(std::shared_ptr<Feed> feed) {
  return [feed](std::shared_ptr<Request>, std::unique_ptr<Responder> responder) {
    Response response;
    response.source = std::make_unique<FeedSource>(feed);
    response.on_start = [feed](std::shared_ptr<Waker> waker) { feed->start(std::move(waker)); };
    responder->send(std::move(response));
  };
}

bool is_destroyed(Feed& feed) {
  return feed.destroyed.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready;
}

// Sends `size` bytes as fast as they are taken, and counts.
class Fountain final : public BodySource {
 public:
  Fountain(size_t size, std::atomic<size_t>* produced, std::promise<void>* destroyed)
      : left_(size), produced_(produced), destroyed_(destroyed) {}
  ~Fountain() override {
    if (destroyed_) destroyed_->set_value();
  }
  State fill(std::string& out, size_t budget) override {
    const size_t size = std::min(left_, budget);
    out.append(size, 'x');
    left_ -= size;
    if (produced_) *produced_ += size;
    return left_ == 0 ? State::kEnd : State::kMore;
  }

 private:
  size_t left_;
  std::atomic<size_t>* const produced_;
  std::promise<void>* const destroyed_;
};

TEST(Stream, SendsTheHeadAtOnceAndAChunkPerWake) {
  const auto feed = std::make_shared<Feed>();
  RunningServer server(serving(feed));
  Client client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_NE(client.receive_head().find("Transfer-Encoding: chunked"), std::string::npos);
  for (int i = 0; i < 100; ++i) {
    feed->say("event " + std::to_string(i));
    EXPECT_EQ(client.receive_chunk(), "event " + std::to_string(i));
  }
  feed->say("last", true);
  EXPECT_EQ(client.receive_chunk(), "last");
  EXPECT_EQ(client.receive_chunk(), "");
  EXPECT_TRUE(is_destroyed(*feed));
}

TEST(Stream, WakesFromManyThreadsLoseNothing) {
  const auto feed = std::make_shared<Feed>();
  RunningServer server(serving(feed));
  Client client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  client.receive_head();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 500; ++j) feed->say("x");
    });
  }
  std::string body;
  while (body.size() < 2000) {
    const auto chunk = client.receive_chunk();
    ASSERT_TRUE(chunk.has_value());
    body += *chunk;
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(body, std::string(2000, 'x'));
}

TEST(Stream, TheConnectionIsUsedAgainAfterTheEnd) {
  RunningServer server([](std::shared_ptr<Request> request, std::unique_ptr<Responder> responder) {
    Response response;
    const size_t size = std::stoul(request->target.substr(1));
    response.source = std::make_unique<Fountain>(size, nullptr, nullptr);
    if (request->headers.has("X-Length")) response.content_length = size;
    responder->send(std::move(response));
  });
  Client client(server.port());
  for (const std::string size : {"0", "1", "100000", "5000000"}) {
    client.send("GET /" + size + " HTTP/1.1\r\nHost: x\r\n\r\n");
    const Answer chunked = client.receive();
    EXPECT_TRUE(chunked.complete);
    EXPECT_EQ(std::to_string(chunked.body.size()), size);
    client.send("GET /" + size + " HTTP/1.1\r\nHost: x\r\nX-Length: y\r\n\r\n");
    const Answer announced = client.receive();
    EXPECT_EQ(announced.header("Content-Length"), size);
    EXPECT_EQ(std::to_string(announced.body.size()), size);
    client.send("HEAD /" + size + " HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(client.receive(false).header("Transfer-Encoding"), "chunked");
  }
  EXPECT_EQ(server.metric("connections_total"), 1);
}

TEST(Stream, ForHttp10TheEndOfTheConnectionEndsTheBody) {
  RunningServer server([](std::shared_ptr<Request>, std::unique_ptr<Responder> responder) {
    Response response;
    response.source = std::make_unique<Fountain>(100'000, nullptr, nullptr);
    responder->send(std::move(response));
  });
  Client client(server.port());
  client.send("GET / HTTP/1.0\r\n\r\n");
  const Answer answer = client.receive();
  EXPECT_EQ(answer.header("Transfer-Encoding"), "");
  EXPECT_EQ(answer.body.size(), 100'000U);
}

TEST(Stream, ABodyShorterThanAnnouncedEndsTheConnection) {
  RunningServer server([](std::shared_ptr<Request>, std::unique_ptr<Responder> responder) {
    Response response;
    response.source = std::make_unique<Fountain>(10, nullptr, nullptr);
    response.content_length = 20;
    responder->send(std::move(response));
  });
  Client client(server.port());
  const Answer answer = client.get("/");
  EXPECT_FALSE(answer.complete);
  EXPECT_EQ(answer.body.size(), 10U);
}

TEST(Stream, AClientThatLeavesAParkedStreamIsNoticed) {
  const auto feed = std::make_shared<Feed>();
  RunningServer server(serving(feed));
  Client client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  client.receive_head();
  client.close();
  EXPECT_TRUE(is_destroyed(*feed));
  EXPECT_TRUE(server.becomes("connections", 0));
  feed->say("to nobody");
}

TEST(Stream, AClientThatSendsWithoutEndDuringAStreamIsCutOff) {
  const auto feed = std::make_shared<Feed>();
  RunningServer server(serving(feed));
  Client client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  client.receive_head();
  client.send(std::string(1'000'000, 'x'));
  EXPECT_TRUE(is_destroyed(*feed));
}

TEST(Stream, ASlowReaderStopsTheSourceAndIsCutOff) {
  std::atomic<size_t> produced = 0;
  std::promise<void> destroyed;
  ServerOptions options;
  options.write_timeout = milliseconds(50);
  constexpr size_t kEndless = 1UL << 40;
  RunningServer server(
      [&](std::shared_ptr<Request>, std::unique_ptr<Responder> responder) {
        Response response;
        response.source = std::make_unique<Fountain>(kEndless, &produced, &destroyed);
        responder->send(std::move(response));
      },
      options);
  Client client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(destroyed.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
  EXPECT_LT(produced.load(), 100'000'000U);  // the sockets' buffers, not the memory of the server
  EXPECT_TRUE(server.becomes("connections", 0));
}

TEST(Stream, AFastStreamLeavesTurnsToOthersOnItsLoop) {
  ServerOptions options;
  options.io_threads = 1;
  RunningServer server(
      [](std::shared_ptr<Request> request, std::unique_ptr<Responder> responder) {
        if (request->target == "/short") return responder->send(testing::text("short"));
        Response response;
        response.source = std::make_unique<Fountain>(1UL << 40, nullptr, nullptr);
        responder->send(std::move(response));
      },
      options);
  Client endless(server.port());
  endless.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  endless.receive_head();
  std::atomic<bool> done = false;
  std::thread reader([&] {
    while (!done && endless.receive_chunk()) {
    }
  });
  Client other(server.port());
  EXPECT_EQ(other.get("/short").body, "short");
  done = true;
  reader.join();
}

TEST(Stream, StopAsksParkedStreamsToEnd) {
  const auto feed = std::make_shared<Feed>();
  RunningServer server(serving(feed));
  Client client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  client.receive_head();
  server.server->stop(std::chrono::seconds(60));
  EXPECT_EQ(client.receive_chunk(), "bye");
  EXPECT_EQ(client.receive_chunk(), "");
  EXPECT_TRUE(client.sees_end());
}

TEST(Stream, WakersMayOutliveTheServer) {
  const auto feed = std::make_shared<Feed>();
  {
    RunningServer server(serving(feed));
    Client client(server.port());
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    client.receive_head();
  }
  feed->say("to nobody");
}

TEST(Stream, AThousandParkedStreamsAreWokenTogether) {
  testing::raise_file_limit();
  constexpr size_t kStreams = 1000;
  std::vector<std::shared_ptr<Feed>> feeds;
  for (size_t i = 0; i < kStreams; ++i) feeds.push_back(std::make_shared<Feed>());
  RunningServer server([&](std::shared_ptr<Request> request, std::unique_ptr<Responder> responder) {
    serving(feeds[std::stoul(request->target.substr(1))])(request, std::move(responder));
  });
  std::vector<std::unique_ptr<Client>> clients;
  for (size_t i = 0; i < kStreams; ++i) {
    clients.push_back(std::make_unique<Client>(server.port()));
    clients.back()->send("GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    clients.back()->receive_head();
  }
  for (int round = 0; round < 5; ++round) {
    for (const auto& feed : feeds) feed->say("now");
    for (auto& client : clients) ASSERT_EQ(client->receive_chunk(), "now");
  }
}

}  // namespace
}  // namespace chandler::http
