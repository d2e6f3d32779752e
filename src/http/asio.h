// The only door to Asio and Beast. Both are compiled once, in asio.cc; every file of this folder that needs them
// includes this header, never theirs first, and no header that the rest of the program sees includes it.
#pragma once

// Beast asserts that the last chunk comes in at least five bytes at once, which a client decides.
#define BOOST_DISABLE_ASSERTS
#define BOOST_ASIO_SEPARATE_COMPILATION
#define BOOST_ASIO_NO_DEPRECATED
// Each io_context is run by one thread, so handlers need no fences among each other; TSan cannot follow fences.
#define BOOST_ASIO_DISABLE_FENCED_BLOCK
#define BOOST_BEAST_SEPARATE_COMPILATION

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace chandler::http {

namespace asio = boost::asio;
using boost::system::error_code;

// Bound to the concrete executor: the default, type-erased one costs an indirection per operation.
using Socket = asio::basic_stream_socket<asio::ip::tcp, asio::io_context::executor_type>;

}  // namespace chandler::http
