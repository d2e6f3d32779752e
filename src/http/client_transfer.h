// One outgoing request while it is under way: its curl handle, what has been received, what went wrong. Belongs to the
// client's thread; must not move, as curl keeps pointers into it.
#pragma once

#include <curl/curl.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "http/client.h"
#include "http/client_check.h"

namespace chandler::http {

struct FreeSlist {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Slist = std::unique_ptr<curl_slist, FreeSlist>;

class ClientTransfer {
 public:
  ClientTransfer(Client::Ticket ticket, ClientRequest request, Client::Done done);
  ClientTransfer(const ClientTransfer&) = delete;
  ClientTransfer& operator=(const ClientTransfer&) = delete;

  // Checks the request and puts it on a handle that is in its initial state.
  Result<void, ClientFailure> prepare(CURL* easy, const std::string& user_agent, UrlReader& urls);

  ClientOutcome outcome(CURLcode code);  // once, when curl is done
  ClientFailure cancelled() const;

  Client::Ticket ticket() const { return ticket_; }
  CURL* easy() const { return easy_; }
  Client::Done& done() { return done_; }

 private:
  static size_t on_header(char* data, size_t size, size_t count, void* self);
  static size_t on_body(char* data, size_t size, size_t count, void* self);
  static curl_socket_t on_socket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int on_ready(void* self, char* address, char* own_address, int port, int own_port);

  Result<void, ClientFailure> set_url(UrlReader& urls);
  void set_headers();
  Result<void, ClientFailure> set_tls();
  void set_method();
  // By the request's rules; notes why.
  template <typename Address>
  bool refuses(const Address& address);
  bool take_header(std::string_view line);
  bool take_body(std::string_view piece);
  bool was_sent() const;
  ClientFailure failure(ClientFailure::Kind kind, std::string_view what) const;
  ClientFailure explain(CURLcode code) const;

  const Client::Ticket ticket_;
  ClientRequest request_;
  Client::Done done_;
  CURL* easy_ = nullptr;
  std::shared_ptr<const UrlParts> parts_;  // of request_.url, once it is checked
  // What curl gets as a list: each line with a zero byte at its end, and where they are.
  std::string header_lines_;
  std::vector<curl_slist> headers_;
  Slist connect_to_;
  std::array<char, CURL_ERROR_SIZE> error_{};

  ClientResponse response_;
  size_t header_bytes_ = 0;
  bool head_complete_ = false;
  int attempts_ = 0;
  std::string refusal_;     // why the address is not allowed
  bool given_up_ = false;   // not sent again
  bool too_large_ = false;  // head or body
  bool ended_ = false;      // by on_piece
};

}  // namespace chandler::http
