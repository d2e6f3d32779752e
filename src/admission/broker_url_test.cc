#include "admission/broker_url.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace chandler::admission {
namespace {

TEST(BrokerUrl, MustBeCallable) {
  struct Row {
    std::string url;
    std::string reason;
    std::string want;  // part of the fault
  };
  const std::vector<Row> rows = {
      {"http://broker", "the usual form inside a cluster", ""},
      {"HTTPS://broker.example.com:8443/osb/", "with port and path; schemes know no case", ""},
      {"http://10.0.0.1:80", "an address", ""},
      {"https://[fd00::1]:443/x", "an IPv6 address", ""},
      {"http://my_broker.ns.svc", "names of compose files", ""},
      {"broker.example.com", "no scheme", "http://"},
      {"ftp://broker", "another scheme", "http://"},
      {"https://", "no host", "no host"},
      {"https:///path", "no host, but a path", "no host"},
      {"https://:80", "no host, but a port", "no host"},
      {"https://user:pw@broker", "secrets are in secrets", "authInfo"},
      {"https://user@broker", "so are user names", "authInfo"},
      {"https://broker/a@b", "no user: it is in the path", ""},
      {"https://broker?x=1", "paths are appended", "query"},
      {"https://broker/#x", "the same", "query"},
      {"https://bro ker", "a blank", "blanks"},
      {"https://broker\n", "a line end could smuggle in headers", "blanks"},
      {"https://br\xc3\xb6ker", "not ASCII", "blanks"},
      {"https://broker:", "no port after the colon", "port"},
      {"https://broker:0", "not a port", "port"},
      {"https://broker:65536", "not a port", "port"},
      {"https://broker:80x", "not a number", "port"},
      {"https://[fd00::1", "not closed", "closed"},
      {"https://[fd00::1]x", "rubbish behind it", "port"},
      {"https://[gg::1]", "not an address", "IPv6"},
      {"https://bro<ker", "no host looks like that", "letters"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.url + ": " + row.reason);
    const auto fault = broker_url_fault(row.url);
    EXPECT_EQ(fault.empty(), row.want.empty()) << fault;
    EXPECT_NE(fault.find(row.want), std::string::npos) << fault;
  }
}

TEST(BrokerUrl, IsShownWithoutSecrets) {
  EXPECT_EQ(shown_url("https://broker/x"), "https://broker/x");
  EXPECT_EQ(shown_url("https://user:pw@broker/x"), "https://***@broker/x");
  EXPECT_EQ(shown_url("https://user:p@w@broker"), "https://***@broker");
  EXPECT_EQ(shown_url("user:pw@broker"), "***@broker");
  EXPECT_EQ(shown_url("pw@https://x"), "***@https://x");
}

}  // namespace
}  // namespace chandler::admission
