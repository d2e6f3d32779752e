chandler_fuzz(http_head DEPS http READS http/request_parser.cc http/wire.cc http/frame_scanner.cc)
chandler_fuzz(http2 DEPS http READS http/http2_session.cc http/http2_callbacks.cc http/http2_write.cc)
