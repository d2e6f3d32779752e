// Answers that are read piece by piece, as a watch is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "http/client.h"
#include "http/test_client.h"

namespace chandler::http {
namespace {

using testing::RunningServer;
using testing::text;
using Kind = ClientFailure::Kind;

// What the server says, when the test says so.
class Feed {
 public:
  void attach(std::shared_ptr<Waker> waker) {
    MutexLock lock(mutex_);
    waker_ = std::move(waker);
    attached_.notify_all();
  }
  void say(const std::string& words, bool last = false) {
    std::shared_ptr<Waker> waker;
    {
      MutexLock lock(mutex_);
      while (!waker_) attached_.wait(mutex_);
      words_ += words;
      last_ = last;
      waker = waker_;
    }
    waker->wake();
  }
  BodySource::State fill(std::string& out) {
    MutexLock lock(mutex_);
    out += words_;
    words_.clear();
    return last_ ? BodySource::State::kEnd : BodySource::State::kWaiting;
  }

 private:
  Mutex mutex_;
  CondVar attached_;
  std::shared_ptr<Waker> waker_ CH_GUARDED_BY(mutex_);
  std::string words_ CH_GUARDED_BY(mutex_);
  bool last_ CH_GUARDED_BY(mutex_) = false;
};

class FeedSource final : public BodySource {
 public:
  explicit FeedSource(std::shared_ptr<Feed> feed) : feed_(std::move(feed)) {}
  State fill(std::string& out, size_t) override { return feed_->fill(out); }

 private:
  const std::shared_ptr<Feed> feed_;
};

class ClientStreamTest : public ::testing::Test {
 protected:
  Handler handler() {
    return [this](std::shared_ptr<Request> request, std::unique_ptr<Responder> responder) {
      if (request->target == "/missing") {
        responder->send(text("no such thing", 404));
        return;
      }
      Response response;
      response.source = std::make_unique<FeedSource>(feed);
      response.on_start = [this](std::shared_ptr<Waker> waker) { feed->attach(std::move(waker)); };
      responder->send(std::move(response));
    };
  }
  // Pieces go into a queue of the test; `last` is the piece that ends the request.
  Client::Ticket watch(uint16_t port, const std::string& path, const std::string& last = "") {
    ClientRequest request;
    request.url = "http://127.0.0.1:" + std::to_string(port) + path;
    request.timeout = std::chrono::milliseconds(0);
    request.max_body_bytes = 100;
    request.on_piece = [this, last](std::string_view piece) {
      MutexLock lock(mutex);
      seen += piece;
      came.notify_all();
      return last.empty() || piece != last;
    };
    return client->send(std::move(request), [this](ClientOutcome got) { outcome.set_value(std::move(got)); });
  }
  void wait_until_seen(const std::string& want) {
    MutexLock lock(mutex);
    while (seen != want) came.wait(mutex);
  }

  std::shared_ptr<Feed> feed = std::make_shared<Feed>();
  Mutex mutex;
  CondVar came;
  std::string seen;
  std::promise<ClientOutcome> outcome;
  std::unique_ptr<Client> client = Client::create({});
};

TEST_F(ClientStreamTest, PiecesComeWhenTheyAreSentAndAreNotLimited) {
  RunningServer server(handler());
  watch(server.port(), "/");
  feed->say("one");
  wait_until_seen("one");
  feed->say("two");
  wait_until_seen("onetwo");
  const std::string large(100'000, 'x');
  feed->say(large);
  wait_until_seen("onetwo" + large);
  feed->say("", true);
  const ClientOutcome got = outcome.get_future().get();
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(got->status, 200);
  EXPECT_EQ(got->body, "");
}

TEST_F(ClientStreamTest, TheReceiverMayEndIt) {
  RunningServer server(handler());
  watch(server.port(), "/", "enough");
  feed->say("enough");
  const ClientOutcome got = outcome.get_future().get();
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(got->status, 200);
  EXPECT_TRUE(server.becomes("connections", 0)) << "the connection is of no use any more";
}

TEST_F(ClientStreamTest, ErrorsAreKeptWhole) {
  RunningServer server(handler());
  watch(server.port(), "/missing");
  const ClientOutcome got = outcome.get_future().get();
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->status, 404);
  EXPECT_EQ(got->body, "no such thing");
}

TEST_F(ClientStreamTest, CancelAndStopEndIt) {
  for (const bool by_stop : {false, true}) {
    feed = std::make_shared<Feed>();
    outcome = {};
    seen.clear();
    RunningServer server(handler());
    const Client::Ticket ticket = watch(server.port(), "/");
    feed->say("on and on");
    wait_until_seen("on and on");
    if (by_stop) {
      client->stop();
    } else {
      client->cancel(ticket);
    }
    EXPECT_EQ(outcome.get_future().get().error().kind, Kind::kCancelled);
  }
}

TEST_F(ClientStreamTest, AServerThatGoesAwayIsSeen) {
  auto server = std::make_unique<RunningServer>(handler());
  watch(server->port(), "/");
  feed->say("x");
  wait_until_seen("x");
  server->server->stop(std::chrono::milliseconds(0));
  EXPECT_EQ(outcome.get_future().get().error().kind, Kind::kBroken);
}

}  // namespace
}  // namespace chandler::http
