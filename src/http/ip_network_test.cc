#include "http/ip_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace chandler::http {
namespace {

using ::testing::HasSubstr;

TEST(IpAddress, FindsTheWrappedAddress) {
  struct Row {
    std::string_view reason, address, want;
  };
  for (const Row& row :
       {Row{"mapped", "::ffff:10.1.2.3", "10.1.2.3"}, Row{"mapped, in hexadecimal", "::ffff:a01:203", "10.1.2.3"},
        Row{"translated", "::ffff:0:10.1.2.3", "10.1.2.3"}, Row{"NAT64", "64:ff9b::a01:203", "10.1.2.3"},
        Row{"NAT64 of a site", "64:ff9b:1::a01:203", "10.1.2.3"},
        Row{"NAT64 of a site, some prefix of it", "64:ff9b:1:fffe::a01:203", "10.1.2.3"},
        Row{"compatible", "::10.1.2.3", "10.1.2.3"}, Row{"loopback is compatible too", "::1", "0.0.0.1"},
        Row{"6to4", "2002:a01:203::", "10.1.2.3"},
        Row{"6to4 with a subnet and a host", "2002:a01:203:7::9", "10.1.2.3"},
        Row{"Teredo: the client's address, inverted", "2001:0:4136:e378:8000:63bf:f5fe:fdfc", "10.1.2.3"},
        Row{"another part of 2001::/16", "2001:db8::a01:203", ""}, Row{"beside NAT64", "64:ff9b:2::a01:203", ""},
        Row{"beside the NAT64 prefix of 96 bits", "64:ff9b::1:a01:203", ""}, Row{"unique local", "fd00::a01:203", ""},
        Row{"an IPv4 address wraps nothing", "10.1.2.3", ""}}) {
    const auto wrapped = IpAddress::parse(row.address).value().wrapped();
    EXPECT_EQ(wrapped ? wrapped->text() : "", row.want) << row.reason << ": " << row.address;
  }
}

TEST(IpAddress, ParsesOnlyWholeNumericAddresses) {
  for (const std::string_view text : {"", "localhost", "10.0.0", "10.0.0.1 ", "010.0.0.1", "0x7f000001", "2130706433",
                                      "[::1]", "fe80::1%lo", "1.2.3.4/8"}) {
    EXPECT_FALSE(IpAddress::parse(text)) << text;
  }
  EXPECT_EQ(IpAddress::parse("FD00:0::1")->text(), "fd00::1");
}

TEST(IpAddress, ReadsWhatTheSystemConnectsTo) {
  sockaddr_in v4_address{};
  v4_address.sin_family = AF_INET;
  v4_address.sin_addr.s_addr = htonl(0x0A010203);
  EXPECT_EQ(IpAddress::read(reinterpret_cast<const sockaddr&>(v4_address)), v4(10, 1, 2, 3));
  sockaddr_in6 v6_address{};
  v6_address.sin6_family = AF_INET6;
  v6_address.sin6_addr = in6addr_loopback;
  EXPECT_EQ(IpAddress::read(reinterpret_cast<const sockaddr&>(v6_address)), v6({0, 0, 0, 0, 0, 0, 0, 1}));
  sockaddr_un file{};
  file.sun_family = AF_UNIX;
  EXPECT_EQ(IpAddress::read(reinterpret_cast<const sockaddr&>(file)), std::nullopt);
}

TEST(IpNetwork, ContainsItsOwnFamilyOnly) {
  struct Row {
    std::string_view reason, network, address;
    bool want;
  };
  for (const Row& row :
       {Row{"first", "10.0.0.0/8", "10.0.0.0", true}, Row{"last", "10.0.0.0/8", "10.255.255.255", true},
        Row{"behind", "10.0.0.0/8", "11.0.0.0", false}, Row{"before", "10.0.0.0/8", "9.255.255.255", false},
        Row{"within a byte", "172.16.0.0/12", "172.31.1.1", true},
        Row{"behind, within a byte", "172.16.0.0/12", "172.32.0.0", false},
        Row{"one address", "10.0.0.1/32", "10.0.0.1", true}, Row{"its neighbour", "10.0.0.1/32", "10.0.0.2", false},
        Row{"all of IPv4", "0.0.0.0/0", "255.255.255.255", true},
        Row{"all of IPv4 and no IPv6", "0.0.0.0/0", "::", false}, Row{"all of IPv6", "::/0", "fd00::1", true},
        Row{"all of IPv6 and no IPv4", "::/0", "10.0.0.1", false}, Row{"IPv6", "fc00::/7", "fdff::1", true},
        Row{"behind, IPv6", "fc00::/7", "fe00::", false}, Row{"one address, IPv6", "fd00::1/128", "fd00::2", false}}) {
    EXPECT_EQ(IpNetwork::parse(row.network)->contains(IpAddress::parse(row.address).value()), row.want) << row.reason;
  }
}

TEST(IpNetwork, SaysWhatToWriteInstead) {
  struct Row {
    std::string_view reason, text, want;
  };
  for (const Row& row : {Row{"empty", "", R"("" is not an IP network; use, for example, 10.0.0.0/8)"},
                         Row{"a word", "privat", R"("privat" is not an IP network)"},
                         Row{"a name", "example.com/8", "is not an IP network"},
                         Row{"an address", "10.0.0.1", R"("10.0.0.1" has no prefix length; use 10.0.0.1/32)"},
                         Row{"an address, IPv6", "fd00::1", "use fd00::1/128"},
                         Row{"no number", "10.0.0.0/", "use a number from 0 to 32"},
                         Row{"a mask", "10.0.0.0/255.0.0.0", "use a number from 0 to 32"},
                         Row{"too long", "10.0.0.0/33", "use a number from 0 to 32"},
                         Row{"too long, IPv6", "fd00::/129", "use a number from 0 to 128"},
                         Row{"negative", "10.0.0.0/-1", "use a number from 0 to 32"},
                         Row{"huge", "10.0.0.0/4294967296", "use a number from 0 to 32"},
                         Row{"host bits", "10.1.2.3/8", R"("10.1.2.3/8" has host bits set; use 10.0.0.0/8)"},
                         Row{"host bits within a byte", "192.168.1.130/25", "use 192.168.1.128/25"},
                         Row{"host bits, IPv6", "fd12::1/8", "use fd00::/8"},
                         Row{"host bits and no prefix", "10.0.0.0/0", "use 0.0.0.0/0"},
                         Row{"IPv4 in the form of IPv6", "::ffff:10.0.0.0/104", "use 10.0.0.0/8"},
                         Row{"the same with host bits", "::ffff:10.1.2.3/104", "use 10.0.0.0/8"}}) {
    const auto network = IpNetwork::parse(row.text);
    ASSERT_FALSE(network.ok()) << row.reason;
    EXPECT_THAT(network.error().message, HasSubstr(row.want)) << row.reason;
  }
  EXPECT_TRUE(IpNetwork::parse("::/0").ok());
  EXPECT_TRUE(IpNetwork::parse("::/80").ok()) << "more than the mapped addresses";
}

}  // namespace
}  // namespace chandler::http
