#include "http/address_rules.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <random>

namespace chandler::http {
namespace {

AddressRules rules(std::string_view denied = "", bool allow_local = false) {
  return AddressRules::parse(denied, allow_local, {}).value();
}

// Every way to put an IPv4 address into an IPv6 address.
std::vector<std::string> wrappings(const IpAddress& address) {
  const auto& b = address.bytes;
  const int high = b[0] << 8 | b[1];
  const int low = b[2] << 8 | b[3];
  return {fmt::format("::ffff:{:x}:{:x}", high, low),
          fmt::format("::ffff:{}", address.text()),
          fmt::format("::ffff:0:{:x}:{:x}", high, low),
          fmt::format("64:ff9b::{:x}:{:x}", high, low),
          fmt::format("64:ff9b:1::{:x}:{:x}", high, low),
          fmt::format("::{}", address.text()),
          fmt::format("2002:{:x}:{:x}::1", high, low),
          fmt::format("2001:0:4136:e378:8000:63bf:{:x}:{:x}", ~high & 0xFFFF, ~low & 0xFFFF)};
}

TEST(AddressRules, RefuseLocalAddressesUnlessTheyAreAllowed) {
  struct Row {
    std::string_view address, want;
  };
  for (const Row& row : {Row{"127.0.0.1", "it is a loopback address"},
                         Row{"127.255.0.1", "it is a loopback address"},
                         Row{"::1", "it is a loopback address"},
                         Row{"0.0.0.0", "it is an unspecified address"},
                         Row{"0.1.2.3", "it is an unspecified address"},
                         Row{"::", "it is an unspecified address"},
                         Row{"169.254.1.1", "it is a link-local address"},
                         Row{"fe80::1", "it is a link-local address"},
                         Row{"febf::1", "it is a link-local address"},
                         Row{"224.0.0.1", "it is a multicast address"},
                         Row{"239.1.1.1", "it is a multicast address"},
                         Row{"ff02::1", "it is a multicast address"},
                         Row{"255.255.255.255", "it is a broadcast address"},
                         Row{"128.0.0.1", ""},
                         Row{"10.0.0.1", ""},
                         Row{"172.16.0.1", ""},
                         Row{"192.168.1.1", ""},
                         Row{"100.64.0.1", ""},
                         Row{"169.253.0.1", ""},
                         Row{"169.255.0.1", ""},
                         Row{"8.8.8.8", ""},
                         Row{"240.0.0.1", ""},
                         Row{"2001:db8::1", ""},
                         Row{"fd00::1", ""},
                         Row{"fec0::1", ""}}) {
    EXPECT_EQ(rules().refusal(row.address), row.want) << row.address;
    EXPECT_EQ(AddressRules().refusal(row.address), row.want) << row.address;
    EXPECT_EQ(rules("", true).refusal(row.address), "") << row.address;
    const auto address = IpAddress::parse(row.address).value();
    if (!address.is_v4) continue;
    for (const auto& wrapped : wrappings(address)) {
      EXPECT_EQ(rules().refusal(wrapped).empty(), row.want.empty()) << wrapped;
      EXPECT_EQ(rules("", true).refusal(wrapped), "") << wrapped;
    }
  }
}

TEST(AddressRules, RefuseMetadataServicesAlways) {
  struct Row {
    std::string_view address, reason;
  };
  for (const Row& row :
       {Row{"169.254.169.254", "most clouds"}, Row{"169.254.170.2", "AWS ECS"}, Row{"169.254.170.23", "AWS EKS"},
        Row{"169.254.0.23", "Tencent Cloud"}, Row{"169.254.42.42", "Scaleway"}, Row{"100.100.100.200", "Alibaba Cloud"},
        Row{"168.63.129.16", "Azure WireServer"}, Row{"192.0.0.192", "Oracle Cloud Classic"},
        Row{"fd00:ec2::254", "AWS over IPv6"}, Row{"fd00:ec2::23", "AWS EKS over IPv6"},
        Row{"fd20:ce::254", "Google Cloud over IPv6"}, Row{"fe80::a9fe:a9fe", "OpenStack over IPv6"},
        Row{"fd00:a9fe:a9fe::1", "Akamai over IPv6"}, Row{"fd00:c1::a9fe:a9fe", "Oracle Cloud over IPv6"},
        Row{"fd00:42::42", "Scaleway over IPv6"}, Row{"fd00:100::100:200", "Alibaba Cloud over IPv6"}}) {
    const auto address = IpAddress::parse(row.address).value();
    std::vector<std::string> written{std::string(row.address)};
    if (address.is_v4) {
      const auto more = wrappings(address);
      written.insert(written.end(), more.begin(), more.end());
    }
    for (const auto& text : written) {
      EXPECT_EQ(rules().refusal(text), "it is a cloud metadata service") << row.reason << ": " << text;
      EXPECT_EQ(rules("private", true).refusal(text), "it is a cloud metadata service") << row.reason << ": " << text;
    }
  }
  for (const std::string_view neighbour : {"100.100.100.201", "168.63.129.17", "192.0.0.193", "fd00:ec2::255"}) {
    EXPECT_EQ(rules().refusal(neighbour), "") << neighbour;
  }
}

TEST(AddressRules, RefuseWhatTheOperatorDenies) {
  struct Row {
    std::string_view reason, denied, address;
    bool want;
  };
  for (const Row& row :
       {Row{"nothing is denied", " ", "10.0.0.1", false}, Row{"a network", "203.0.113.0/24", "203.0.113.9", true},
        Row{"another", "203.0.113.0/24", "203.0.114.9", false},
        Row{"the second of a list, with a blank", "203.0.113.0/24, 2001:db8::/32", "2001:db8::1", true},
        Row{"private: 10.0.0.0/8", "private", "10.255.255.255", true},
        Row{"private: 172.16.0.0/12", "private", "172.31.255.255", true},
        Row{"private: 192.168.0.0/16", "private", "192.168.0.1", true},
        Row{"private: 100.64.0.0/10", "private", "100.127.255.255", true},
        Row{"private: fc00::/7", "private", "fd12:3456::1", true},
        Row{"behind 172.16.0.0/12", "private", "172.32.0.0", false},
        Row{"behind 100.64.0.0/10", "private", "100.128.0.0", false}, Row{"public", "private", "8.8.8.8", false},
        Row{"public, IPv6", "private", "2001:db8::1", false},
        Row{"private and more", "private,8.8.8.0/24", "8.8.8.8", true},
        Row{"no IPv6 at all", "::/0", "2001:db8::1", true},
        Row{"IPv4 is not concerned by that", "::/0", "8.8.8.8", false},
        Row{"the wrapping itself", "64:ff9b::/96", "64:ff9b::808:808", true},
        Row{"a wrapped address of no denied network", "private", "64:ff9b::808:808", false}}) {
    EXPECT_EQ(rules(row.denied, true).refusal(row.address), row.want ? "its network is denied" : "") << row.reason;
  }
}

TEST(AddressRules, GiveAHintWhereSomethingCanBeDone) {
  const auto hinting = AddressRules::parse("private,127.1.0.0/16", false, {"allow local", "deny less"}).value();
  EXPECT_EQ(hinting.refusal("127.0.0.1"), "it is a loopback address; allow local");
  EXPECT_EQ(hinting.refusal("::ffff:10.0.0.1"), "its network is denied; deny less");
  EXPECT_EQ(hinting.refusal("127.1.0.1"), "its network is denied; deny less") << "allowing local would not help";
  EXPECT_EQ(hinting.refusal("169.254.169.254"), "it is a cloud metadata service");
}

TEST(AddressRules, RefuseWhatIsNotAnAddress) {
  for (const std::string_view text : {"", "localhost", "fe80::1%lo"}) {
    EXPECT_EQ(rules("", true).refusal(text), "it is not an IP address") << text;
  }
  sockaddr file{};
  file.sa_family = AF_UNIX;
  EXPECT_EQ(rules("", true).refusal(file), "it is not an IP address");
  sockaddr_in found{};
  found.sin_family = AF_INET;
  found.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(rules().refusal(reinterpret_cast<const sockaddr&>(found)), "it is a loopback address");
}

TEST(AddressRules, NameTheEntryThatIsWrong) {
  for (const std::string_view denied : {"private,", ",", "10.0.0.0/8,,private", "PRIVATE", "10.0.0.0/8;fd00::/8"}) {
    EXPECT_FALSE(AddressRules::parse(denied, false, {}).ok()) << denied;
  }
  EXPECT_EQ(AddressRules::parse("private, 10.1.0.0/8", false, {}).error().message,
            "\"10.1.0.0/8\" has host bits set; use 10.0.0.0/8");
}

// To the next or the previous address; false: there is none.
bool step(IpAddress& address, bool up) {
  for (size_t i = address.is_v4 ? 4 : 16; i-- > 0;) {
    address.bytes[i] = static_cast<uint8_t>(address.bytes[i] + (up ? 1 : 255));
    if (address.bytes[i] != (up ? 0 : 255)) return true;
  }
  return false;
}

TEST(AddressRules, HoldForAnyNetworkFromItsFirstToItsLastAddress) {
  std::mt19937 random(20240607);
  for (int round = 0; round < 500; ++round) {
    const bool is_v4 = random() % 2 == 0;
    const unsigned width = is_v4 ? 32 : 128;
    const unsigned bits = 1 + static_cast<unsigned>(random() % width);
    IpAddress first{is_v4, {}};
    std::generate_n(first.bytes.begin(), width / 8, [&] { return static_cast<uint8_t>(random()); });
    if (!is_v4) first.bytes[0] |= 0x80;  // away from addresses that wrap others
    IpAddress last = first;
    for (unsigned bit = bits; bit < width; ++bit) {
      const auto mask = static_cast<uint8_t>(0x80U >> bit % 8);
      first.bytes[bit / 8] = static_cast<uint8_t>(first.bytes[bit / 8] & ~mask);
      last.bytes[bit / 8] |= mask;
    }
    const std::string network = fmt::format("{}/{}", first.text(), bits);
    const auto parsed = AddressRules::parse(network, true, {});
    ASSERT_TRUE(parsed.ok()) << parsed.error().message;
    const auto is_denied = [&](const std::string& text) { return parsed->refusal(text) == "its network is denied"; };
    for (const auto& inside : {first, last}) {
      if (rules("", true).refusal(inside.text()).empty()) {
        EXPECT_TRUE(is_denied(inside.text())) << inside.text() << " in " << network;
      }
      if (!is_v4) continue;
      for (const auto& wrapped : wrappings(inside))
        EXPECT_NE(parsed->refusal(wrapped), "") << wrapped << " in " << network;
    }
    IpAddress before = first;
    EXPECT_FALSE(step(before, false) && is_denied(before.text())) << before.text() << " is not in " << network;
    IpAddress behind = last;
    EXPECT_FALSE(step(behind, true) && is_denied(behind.text())) << behind.text() << " is not in " << network;
    if (!is_v4) continue;
    for (const auto& wrapped : wrappings(behind)) EXPECT_FALSE(is_denied(wrapped)) << wrapped << " not in " << network;
  }
}

}  // namespace
}  // namespace chandler::http
