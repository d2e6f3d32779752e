#include "meta/protobuf/wire_reader.h"

#include <gtest/gtest.h>

#include "meta/protobuf/test_encoder.h"

namespace chandler::meta {
namespace {

using testing::bytes;
using testing::number;
using testing::tag;
using testing::varint;

TEST(WireReader, ReadsEveryWireType) {
  const std::string text = number(1, -1) + tag(2, 1) + std::string("\x01\0\0\0\0\0\0\x80", 8) + bytes(3, "abc") +
                           tag(536870911, 5) + std::string("\x02\0\0\0", 4);
  WireReader reader(text);

  auto field = reader.next().value();
  EXPECT_EQ(field.number, 1u);
  EXPECT_EQ(field.type, WireType::kVarint);
  EXPECT_EQ(field.bits, ~uint64_t{0});

  field = reader.next().value();
  EXPECT_EQ(field.type, WireType::kFixed64);
  EXPECT_EQ(field.bits, 0x8000000000000001u);

  field = reader.next().value();
  EXPECT_EQ(field.number, 3u);
  EXPECT_EQ(field.type, WireType::kBytes);
  EXPECT_EQ(field.bytes, "abc");

  field = reader.next().value();
  EXPECT_EQ(field.number, 536870911u);
  EXPECT_EQ(field.type, WireType::kFixed32);
  EXPECT_EQ(field.bits, 2u);
  EXPECT_TRUE(reader.done());
}

TEST(WireReader, RefusesWhatIsNoField) {
  const struct {
    const char* name;
    const char* reason;
    std::string input;
    const char* want;
  } rows[] = {
      {"cut tag", "a tag must end", "\x80", "1 bytes are announced where 0 are left"},
      {"endless varint", "64 bits fit in ten bytes", tag(1, 0) + std::string(10, '\xff') + '\x01',
       "more than ten bytes"},
      {"field zero", "numbers start at one", tag(0, 0) + varint(1), "0 is no field number"},
      {"field too large", "numbers have 29 bits", varint(uint64_t{1} << 32) + varint(1), "is no field number"},
      {"group", "groups are not used by Kubernetes", tag(1, 3), "unknown wire type 3"},
      {"wire type 7", "there is none", tag(1, 7), "unknown wire type 7"},
      {"bytes too long", "a length must not lead out of the body", tag(1, 2) + varint(4) + "abc",
       "4 bytes are announced where 3 are left"},
      {"huge length", "lengths must not wrap around", tag(1, 2) + varint(~uint64_t{0}), "18446744073709551615 bytes"},
      {"cut fixed64", "all eight bytes must be there", tag(1, 1) + "1234567", "8 bytes are announced where 7 are left"},
      {"cut fixed32", "all four bytes must be there", tag(1, 5) + "123", "4 bytes are announced where 3 are left"},
  };
  for (const auto& row : rows) {
    const auto got = WireReader(row.input).next();
    ASSERT_FALSE(got.ok()) << row.name << ": " << row.reason;
    EXPECT_EQ(got.error().reason, Reason::kBadRequest) << row.name;
    EXPECT_NE(got.error().message.find(row.want), std::string::npos) << row.name << ": " << got.error().message;
  }
}

}  // namespace
}  // namespace chandler::meta
