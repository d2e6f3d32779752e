#include "http/client_check.h"

#include <gtest/gtest.h>

namespace chandler::http {
namespace {

std::string told(UrlReader& reader, const std::string& url) {
  const auto parts = reader.read(url);
  if (!parts.ok()) return "bad: " + parts.error().message;
  const auto& p = **parts;
  return p.scheme + " " + p.host + " " + p.port + " " + p.authority + " " + p.place;
}

TEST(UrlReader, SplitsWhatIsInFrontOfThePath) {
  UrlReader reader;
  EXPECT_EQ(told(reader, "http://a/x"), "http a 80 a a:80");
  EXPECT_EQ(told(reader, "https://a"), "https a 443 a a:443");
  EXPECT_EQ(told(reader, "HTTPS://a:8443?x=y"), "https a 8443 a:8443 a:8443");
  EXPECT_EQ(told(reader, "http://[::1]:81/#/"), "http [::1] 81 [::1]:81 [::1]:81");
}

// What it remembers of other URLs must not change what it says of one.
TEST(UrlReader, SaysTheSameOfAUrlWhateverItHasReadBefore) {
  const std::vector<std::string> urls = {"http://a",
                                         "http://a/",
                                         "http://a/x",
                                         "http://a?x",
                                         "http://a#x",
                                         "http://a/x@b",
                                         "http://a?x@b",
                                         "http://a#x@b:81/",
                                         "http://a/://b/",
                                         "http://a:80",
                                         "http://a:81/x",
                                         "http://a:/x",
                                         "http://a:99999/x",
                                         "http://u@a/x",
                                         "http://u:pw@a/x",
                                         "http://a@b/x",
                                         "http://a:x@b/",
                                         "https://a/x",
                                         "HTTP://a/x",
                                         "http://A/x",
                                         "http:///x",
                                         "http://",
                                         "http:a/x",
                                         "http:/a/x",
                                         "a/x",
                                         "a",
                                         "",
                                         "://a/x",
                                         "ftp://a/x",
                                         "file:///x",
                                         "a/http://a/x",
                                         "http://a\\b/x",
                                         "http://a/\\b",
                                         "http://[::1]/x",
                                         "http://[::1]:81/x",
                                         "http://a/ x",
                                         "http://a/\r\nX: y",
                                         "http://a/\xC3\xA9",
                                         "http://2130706433",
                                         "http://0x7f.1/x",
                                         "http://%61/x",
                                         "http://a%2Fb/x",
                                         "http://a/%2e%2e/..",
                                         "http://a//../b",
                                         "http://a/?/../@"};
  UrlReader knows_all;
  for (const auto& url : urls) (void)knows_all.read(url);
  for (const auto& url : urls) {
    UrlReader fresh;
    EXPECT_EQ(told(knows_all, url), told(fresh, url)) << url;
  }
  EXPECT_EQ(told(knows_all, "http://a/" + std::string(64 * 1024, 'x')), "bad: the URL is longer than 64 KiB");
}

TEST(UrlReader, StaysRightWhenItForgets) {
  UrlReader reader;
  for (int round = 0; round < 2; ++round) {
    for (int i = 1; i <= 600; ++i) {
      const auto port = std::to_string(i);
      EXPECT_EQ(told(reader, "http://a:" + port + "/x"), "http a " + port + " a:" + port + " a:" + port);
    }
  }
}

}  // namespace
}  // namespace chandler::http
