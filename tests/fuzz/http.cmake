chandler_fuzz(http_head DEPS http)
chandler_fuzz(http2 DEPS http)
