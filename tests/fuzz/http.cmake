chandler_fuzz(http_head DEPS http)
