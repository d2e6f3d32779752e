#include "storage/keyring.h"

#include <sys/stat.h>

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "storage/temp_directory.h"

namespace chandler::storage {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kContext = "/registry/core/secrets/shop/db";
constexpr std::string_view kPlain = R"({"data":{"password":"aHVudGVyMg=="}})";

std::string key_id(const std::string& sealed) { return sealed.substr(3, 8); }

class KeyringTest : public ::testing::Test {
 protected:
  Keyring ring() { return Keyring::open(path_).value(); }

  const TempDirectory directory_;
  const std::string path_ = directory_.path() + "/keys";
};

TEST_F(KeyringTest, OpensWhatItSealedAlsoAfterARestart) {
  const auto sealed = ring().seal(kPlain, kContext);
  EXPECT_TRUE(Keyring::is_sealed(sealed));
  EXPECT_THAT(sealed, Not(HasSubstr("aHVudGVyMg")));
  EXPECT_EQ(ring().open_sealed(sealed, kContext).value(), kPlain);
}

TEST_F(KeyringTest, SealsTheEmptyValueAndLargeOnes) {
  const auto keys = ring();
  for (const size_t size : {size_t{0}, size_t{1}, size_t{3} << 20}) {
    const std::string plain(size, 'x');
    EXPECT_EQ(keys.open_sealed(keys.seal(plain, kContext), kContext).value(), plain) << size;
  }
}

TEST_F(KeyringTest, NeverSealsTheSameWayTwice) {
  const auto keys = ring();
  EXPECT_NE(keys.seal(kPlain, kContext), keys.seal(kPlain, kContext));
}

TEST_F(KeyringTest, AValueMovedToAnotherKeyDoesNotOpen) {
  const auto keys = ring();
  const auto opened = keys.open_sealed(keys.seal(kPlain, kContext), "/registry/core/secrets/shop/other");
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message, HasSubstr("/registry/core/secrets/shop/other does not open"));
  EXPECT_THAT(opened.error().message, Not(HasSubstr("password")));
}

TEST_F(KeyringTest, AnyChangedByteIsFound) {
  const auto keys = ring();
  const auto sealed = keys.seal("short", "k");
  for (size_t i = 0; i < sealed.size(); ++i) {
    auto changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(keys.open_sealed(changed, "k").ok()) << "byte " << i;
  }
  EXPECT_FALSE(keys.open_sealed(sealed.substr(0, sealed.size() - 1), "k").ok());
}

TEST_F(KeyringTest, PlainValuesAreNotTakenForSealedOnes) {
  for (const std::string_view plain : {"", "{}", "k1:", "k1:0123abcd:", "k1:not-hexa:0123456789012345678901234567"}) {
    EXPECT_FALSE(Keyring::is_sealed(plain)) << plain;
    EXPECT_FALSE(ring().open_sealed(plain, kContext).ok()) << plain;
  }
}

TEST_F(KeyringTest, AfterARotationOldValuesOpenAndNewOnesUseTheNewKey) {
  auto keys = ring();
  const auto before = keys.seal(kPlain, kContext);
  ASSERT_TRUE(keys.rotate(path_).ok());
  const auto after = keys.seal(kPlain, kContext);
  EXPECT_NE(key_id(after), key_id(before));
  for (const auto& reader : {keys, ring()}) {
    EXPECT_EQ(reader.open_sealed(before, kContext).value(), kPlain);
    EXPECT_EQ(reader.open_sealed(after, kContext).value(), kPlain);
    EXPECT_EQ(key_id(reader.seal(kPlain, kContext)), key_id(after));
  }
}

TEST_F(KeyringTest, AFailedRotationChangesNothing) {
  auto keys = ring();
  const auto before = keys.seal(kPlain, kContext);
  EXPECT_FALSE(keys.rotate(directory_.path() + "/no/such/directory").ok());
  EXPECT_EQ(key_id(keys.seal(kPlain, kContext)), key_id(before));
}

TEST_F(KeyringTest, AValueSealedWithAnUnknownKeyNamesThatKey) {
  const auto sealed = ring().seal(kPlain, kContext);
  const auto other = Keyring::open(directory_.path() + "/other").value();
  const auto opened = other.open_sealed(sealed, kContext);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message, HasSubstr(key_id(sealed)));
}

TEST_F(KeyringTest, TheFileIsForItsOwnerOnly) {
  ring();
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ASSERT_EQ(::chmod(path_.c_str(), 0644), 0);
  const auto opened = Keyring::open(path_);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message, HasSubstr("chmod 600"));
}

TEST_F(KeyringTest, RefusesAKeyFileThatIsNotOne) {
  const std::string key = base64_encode(std::string(32, 'K'));
  struct Row {
    const char* name;
    const char* reason;
    std::string input;
    const char* want;
  };
  const Row rows[] = {
      {"empty", "a truncated file must not lead to a new key", "", "holds no key"},
      {"comment", "comments are no keys", "# nothing\n", "holds no key"},
      {"short key", "a shorter key would be weaker", "0123abcd " + base64_encode("short") + "\n", "line 1"},
      {"no key", "an id alone is no key", "0123abcd\n", "line 1"},
      {"bad id", "ids are part of the sealed form", "# c\nXYZ " + key + "\n", "line 2"},
      {"bad base64", "damaged", "0123abcd ****\n", "line 1"},
      {"repeated", "which of the two?", "0123abcd " + key + "\n0123abcd " + key + "\n", "repeats the key id 0123abcd"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string(row.name) + ": " + row.reason);
    ASSERT_TRUE(write_file(path_, row.input, 0600).ok());
    const auto opened = Keyring::open(path_);
    ASSERT_FALSE(opened.ok());
    EXPECT_THAT(opened.error().message, HasSubstr(row.want));
    EXPECT_THAT(opened.error().message, HasSubstr(path_));
    EXPECT_THAT(opened.error().message, Not(HasSubstr(key)));
  }
}

}  // namespace
}  // namespace chandler::storage
