#include "http/client.h"

#include <curl/curl.h>
#include <signal.h>

#include <atomic>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/pool.h"
#include "http/client_poller.h"
#include "http/client_transfer.h"

namespace chandler::http {
namespace {

using Kind = ClientFailure::Kind;

class CurlClient final : public Client {
 public:
  explicit CurlClient(Options options)
      : options_(std::move(options)), multi_(made_multi()), poller_(std::make_unique<ClientPoller>(multi_)) {
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(options_.max_idle_connections));
    thread_ = std::thread([this] { run(); });
  }
  ~CurlClient() override {
    stop();
    for (CURL* easy : idle_) curl_easy_cleanup(easy);
    poller_.reset();
    curl_multi_cleanup(multi_);
  }
  CurlClient(const CurlClient&) = delete;
  CurlClient& operator=(const CurlClient&) = delete;

  Ticket send(ClientRequest request, Done done) override CH_EXCLUDES(mutex_) {
    Ticket ticket = 0;
    bool sleeping = false;
    {
      MutexLock lock(mutex_);
      ticket = ++last_ticket_;
      if (!stopping_) {
        Note note{ticket, nullptr, nullptr};
        if (under_way_ < options_.max_requests) {
          ++under_way_;
          note.transfer = std::make_unique<ClientTransfer>(ticket, std::move(request), std::move(done));
        } else {
          note.turned_away = std::move(done);
        }
        inbox_.push_back(std::move(note));
        sleeping = sleeping_.exchange(false);
        done = nullptr;
      }
    }
    if (done) {
      done(ClientFailure{Kind::kCancelled, "the client has stopped"});
    } else if (sleeping) {
      poller_->wake();
    }
    return ticket;
  }

  void cancel(Ticket ticket) override CH_EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      if (stopping_) return;
      inbox_.push_back({ticket, nullptr, nullptr});
      if (!sleeping_.exchange(false)) return;
    }
    poller_->wake();
  }

  void stop() override CH_EXCLUDES(mutex_, stop_mutex_) {
    {
      MutexLock lock(mutex_);
      stopping_ = true;
    }
    poller_->wake();
    MutexLock lock(stop_mutex_);  // a second caller returns when the thread has ended, too
    if (thread_.joinable()) thread_.join();
  }

 private:
  // A request to begin; one that is over the limit; or, with neither, a ticket to cancel.
  struct Note {
    Ticket ticket = 0;
    std::unique_ptr<ClientTransfer> transfer;
    Done turned_away;
  };

  void run() CH_EXCLUDES(mutex_) {
    name_this_thread("http-client");
    let_others_finish();
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);  // OpenSSL writes without MSG_NOSIGNAL
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    while (read_inbox()) {
      // First, so that what has just begun needs no look at the sockets in between. It may end some.
      poller_->run_timer();
      settle_finished();
      poller_->look(may_sleep());
      sleeping_ = false;  // at once: whoever adds something from now on need not ring, it is found
      poller_->go_on();
      settle_finished();
    }
    while (!transfers_.empty()) cancel_now(transfers_.begin()->first);
  }

  // False when it is time to stop; what was in the inbox then has begun and is cancelled like the rest.
  bool read_inbox() CH_EXCLUDES(mutex_) {
    bool go_on = true;
    {
      MutexLock lock(mutex_);
      taken_.swap(inbox_);
      go_on = !stopping_;
    }
    for (Note& note : taken_) {
      if (note.transfer) {
        begin(std::move(note.transfer));
      } else if (note.turned_away) {
        note.turned_away(ClientFailure{Kind::kConnect, "too many requests are under way"});
      } else {
        cancel_now(note.ticket);
      }
    }
    taken_.clear();
    return go_on;
  }

  // Once this says yes, whoever adds to the inbox wakes us.
  bool may_sleep() CH_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const bool may = inbox_.empty() && !stopping_;
    sleeping_ = may;
    return may;
  }

  void begin(std::unique_ptr<ClientTransfer> transfer) CH_EXCLUDES(mutex_) {
    CURL* easy = take_handle();
    auto prepared = transfer->prepare(easy, options_.user_agent, urls_);
    if (!prepared.ok()) {
      finish(std::move(transfer), easy, std::move(prepared).error());
      return;
    }
    const CURLMcode code = curl_multi_add_handle(multi_, easy);
    if (code != CURLM_OK) {
      finish(std::move(transfer), easy, ClientFailure{Kind::kConnect, curl_multi_strerror(code)});
      return;
    }
    const Ticket ticket = transfer->ticket();
    transfers_.emplace(ticket, std::move(transfer));
  }

  void settle_finished() CH_EXCLUDES(mutex_) {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL* easy = message->easy_handle;
      const CURLcode code = message->data.result;  // gone once the handle is removed
      char* owner = nullptr;
      curl_easy_getinfo(easy, CURLINFO_PRIVATE, &owner);
      auto node = transfers_.extract(reinterpret_cast<ClientTransfer*>(owner)->ticket());
      curl_multi_remove_handle(multi_, easy);
      ClientOutcome outcome = node.mapped()->outcome(code);
      finish(std::move(node.mapped()), easy, std::move(outcome));
    }
  }

  void cancel_now(Ticket ticket) CH_EXCLUDES(mutex_) {
    auto node = transfers_.extract(ticket);
    if (node.empty()) return;
    CURL* easy = node.mapped()->easy();
    ClientFailure failure = node.mapped()->cancelled();
    curl_multi_remove_handle(multi_, easy);
    finish(std::move(node.mapped()), easy, std::move(failure));
  }

  // Puts the handle back, then tells the caller.
  void finish(std::unique_ptr<ClientTransfer> transfer, CURL* easy, ClientOutcome outcome) CH_EXCLUDES(mutex_) {
    Done done = std::move(transfer->done());
    curl_easy_reset(easy);  // it points into the transfer
    if (idle_.size() < options_.max_idle_connections) {
      idle_.push_back(easy);
    } else {
      curl_easy_cleanup(easy);
    }
    transfer.reset();
    {
      MutexLock lock(mutex_);
      --under_way_;
    }
    done(std::move(outcome));
  }

  CURL* take_handle() {
    if (idle_.empty()) {
      CURL* easy = curl_easy_init();
      CH_CHECK(easy != nullptr);
      return easy;
    }
    CURL* easy = idle_.back();
    idle_.pop_back();
    return easy;
  }

  static CURLM* made_multi() {
    CURLM* multi = curl_multi_init();
    CH_CHECK(multi != nullptr);
    return multi;
  }

  const Options options_;
  CURLM* const multi_;
  std::unique_ptr<ClientPoller> poller_;

  // Of the client's thread only.
  std::unordered_map<Ticket, std::unique_ptr<ClientTransfer>> transfers_;
  std::vector<CURL*> idle_;
  std::vector<Note> taken_;
  UrlReader urls_;

  // Whoever adds to the inbox rings only then. True is written under the lock, where the inbox is seen to be empty.
  std::atomic<bool> sleeping_{false};
  Mutex mutex_;
  std::vector<Note> inbox_ CH_GUARDED_BY(mutex_);
  Ticket last_ticket_ CH_GUARDED_BY(mutex_) = 0;
  size_t under_way_ CH_GUARDED_BY(mutex_) = 0;
  bool stopping_ CH_GUARDED_BY(mutex_) = false;

  Mutex stop_mutex_;
  std::thread thread_ CH_GUARDED_BY(stop_mutex_);
};

}  // namespace

std::unique_ptr<Client> Client::create(Options options) {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);  // once per process
  CH_CHECK(started == CURLE_OK);
  return std::make_unique<CurlClient>(std::move(options));
}

ClientOutcome Client::send_and_wait(ClientRequest request) {
  struct Slot {
    Mutex mutex;
    CondVar filled;
    std::optional<ClientOutcome> outcome CH_GUARDED_BY(mutex);
  };
  auto slot = std::make_shared<Slot>();
  send(std::move(request), [slot](ClientOutcome outcome) {
    MutexLock lock(slot->mutex);
    slot->outcome.emplace(std::move(outcome));
    slot->filled.notify_one();
  });
  MutexLock lock(slot->mutex);
  while (!slot->outcome) slot->filled.wait(slot->mutex);
  return std::move(*slot->outcome);
}

}  // namespace chandler::http
