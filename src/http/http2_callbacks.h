// Makes the nghttp2 session of a connection, with its callbacks tied to our session.
#pragma once

#include <cstddef>

struct nghttp2_session;

namespace chandler::http {

class Http2Session;

nghttp2_session* make_http2_engine(Http2Session& session, size_t max_queued_acks);

}  // namespace chandler::http
