chandler_fuzz(token DEPS auth READS auth/jwt.cc auth/service_account_tokens.cc auth/token_file.cc auth/json_web_key.cc
  auth/issuer_keys.cc)
