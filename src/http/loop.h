// One I/O thread with its own io_context, the connections dealt to it, their deadlines and its mailbox. Connections
// live and run on the loop's thread alone; other threads reach them through the mailbox.
#pragma once

#include "http/asio.h"

#include <ctime>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "http/deadlines.h"
#include "http/mailbox.h"
#include "http/server_state.h"

namespace chandler::http {

class Loop {
 public:
  using Connections = std::list<std::shared_ptr<Connection>>;

  Loop(std::shared_ptr<ServerState> server, size_t index);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // From the server's thread, in this order.
  void start();
  void drain();  // asks all connections to end
  void wait_until_empty(std::chrono::steady_clock::time_point until) CH_EXCLUDES(mutex_);
  void finish();  // closes what is left, joins

  // From any thread.
  asio::io_context& context() { return mailbox_->context(); }
  const std::shared_ptr<Mailbox>& mailbox() const { return mailbox_; }

  // On the loop's thread.
  ServerState& server() { return *server_; }
  Connections::iterator add(std::shared_ptr<Connection> connection);
  void remove(Connections::iterator connection);
  bool draining() const { return draining_; }
  void arm(Deadline& entry, Stage stage) { deadlines_.arm(entry, stage, std::chrono::steady_clock::now()); }
  std::string_view date();                        // for the Date header, made once a second
  std::span<char> scratch() { return scratch_; }  // where reads land; valid until the next read
  // A connection that exchanges requests keeps its TLS buffers from one to the next; those that have paused are told to
  // give them back, so that idle ones hold none.
  void watch_pause(std::weak_ptr<Connection> connection) { warm_.push_back(std::move(connection)); }
  // Buffers for what cannot be handled at once; idle connections hold none.
  std::string take_buffer();
  void give_buffer(std::string buffer);

 private:
  void run();
  void tick();
  void cool_paused();
  void tell_if_empty() CH_EXCLUDES(mutex_);

  const std::shared_ptr<ServerState> server_;
  const size_t index_;
  const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>,
                             asio::io_context::executor_type>
      timer_;
  std::thread thread_;

  Connections connections_;
  Deadlines deadlines_;
  bool draining_ = false;
  bool finished_ = false;
  std::time_t date_second_ = 0;
  std::string date_;
  std::vector<char> scratch_;
  std::vector<std::string> spare_;
  std::vector<std::weak_ptr<Connection>> warm_;  // hold TLS buffers

  Mutex mutex_;
  CondVar emptied_;
  bool empty_ CH_GUARDED_BY(mutex_) = false;  // draining, and no connection is left
};

}  // namespace chandler::http
