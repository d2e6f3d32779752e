#include "auth/pki.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>

#include "auth/certificate.h"
#include "auth/kubeconfig.h"
#include "base/file.h"
#include "base/ids.h"
#include "base/text.h"
#include "support/fake_clock.h"

namespace chandler::auth {
namespace {

using std::chrono::days;
using Texts = std::vector<std::string>;

class PkiTest : public ::testing::Test {
 protected:
  PkiTest() : directory(std::filesystem::temp_directory_path() / ("pki-" + new_uuid())) {}
  ~PkiTest() override { std::filesystem::remove_all(directory); }

  Result<Pki> open(const Texts& hosts = {}) const { return load_or_create_pki(directory, hosts, clock); }
  std::string path(std::string_view name) const { return directory + "/" + std::string(name); }
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      all[entry.path().filename()] = *read_file(entry.path());
    }
    return all;
  }

  const std::string directory;
  testing::FakeClock clock;
};

Certificate certificate(std::string_view pem) { return *Certificate::from_pem(pem); }

TEST_F(PkiTest, TheFirstStartMakesEverything) {
  const auto pki = open({"chandler.example", "192.0.2.7", "fd00::7"});
  ASSERT_TRUE(pki.ok()) << pki.error().message;
  const auto authority = certificate(pki->ca_pem);
  EXPECT_TRUE(authority.is_authority());
  EXPECT_TRUE(authority.signed_by(authority));
  EXPECT_EQ(authority.expires(), clock.now() + days(3650));

  const auto server = certificate(pki->server_chain_pem);
  EXPECT_FALSE(server.is_authority());
  EXPECT_TRUE(server.signed_by(authority));
  EXPECT_TRUE(server.holds(read_private_key(pki->server_key_pem)));
  EXPECT_EQ(server.expires(), clock.now() + days(365));
  EXPECT_EQ(server.hosts(), (Texts{"127.0.0.1", "192.0.2.7", "::1", "chandler.example", "fd00::7", "kubernetes",
                                   "kubernetes.default", "kubernetes.default.svc", "localhost"}));

  const auto admin = certificate(pki->admin_cert_pem);
  EXPECT_TRUE(admin.signed_by(authority));
  EXPECT_TRUE(admin.holds(read_private_key(pki->admin_key_pem)));
  EXPECT_EQ(admin.common_name(), "admin");
  EXPECT_EQ(admin.organizations(), Texts{"system:masters"});
  EXPECT_TRUE(SigningKey::from_pem(pki->sa_key_pem).ok());
}

TEST_F(PkiTest, AStartRemovesWhatAKilledOneLeftBehind) {
  ASSERT_TRUE(make_directories(directory).ok());
  for (const char* name : {"ca.key.bcdfghjk.tmp", "sa.key.zzzzzzzz.tmp", "notes.tmp", "ca.key.old"}) {
    ASSERT_TRUE(write_file(path(name), "half a key", 0600).ok());
  }
  ASSERT_TRUE(open().ok());
  EXPECT_FALSE(file_exists(path("ca.key.bcdfghjk.tmp")));
  EXPECT_FALSE(file_exists(path("sa.key.zzzzzzzz.tmp")));
  EXPECT_TRUE(file_exists(path("notes.tmp"))) << "not of our making";
  EXPECT_TRUE(file_exists(path("ca.key.old"))) << "not of our making";
}

TEST_F(PkiTest, KeysAreForTheOwnerOnly) {
  ASSERT_TRUE(open().ok());
  size_t keys = 0;
  for (const auto& [name, content] : files()) {
    struct stat info {};
    ASSERT_EQ(stat(path(name).c_str(), &info), 0);
    const bool is_key = content.find("PRIVATE KEY") != std::string::npos;
    EXPECT_EQ(info.st_mode & 0777u, is_key ? 0600u : 0644u) << name;
    keys += is_key ? 1 : 0;
  }
  EXPECT_EQ(keys, 4u);
  EXPECT_EQ(files().size(), 7u);
}

TEST_F(PkiTest, AKeyThatOthersMayReadIsRefused) {
  for (const char* name : {"ca.key", "sa.key", "server.key", "admin.key"}) {
    ASSERT_TRUE(open().ok());
    ASSERT_EQ(::chmod(path(name).c_str(), 0644), 0);
    const auto refused = open();
    ASSERT_FALSE(refused.ok()) << name;
    EXPECT_NE(refused.error().message.find("chmod 600 " + path(name)), std::string::npos) << refused.error().message;
    ASSERT_EQ(::chmod(path(name).c_str(), 0640), 0);
    EXPECT_TRUE(open().ok()) << name << ": a group that was let in";
  }
}

TEST_F(PkiTest, AFolderThatOthersMayReadIsTakenBack) {
  ASSERT_TRUE(open().ok());
  ASSERT_EQ(::chmod(directory.c_str(), 0755), 0);
  ASSERT_TRUE(open().ok());
  struct stat info {};
  ASSERT_EQ(stat(directory.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0711u);
}

TEST_F(PkiTest, ASecondStartChangesNothing) {
  const auto first = open({"b", "A"});
  const auto before = files();
  clock.advance(days(100));
  const auto second = open({"a", "b", "b"});
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(files(), before);
  EXPECT_EQ(first->server_chain_pem, second->server_chain_pem);
}

TEST_F(PkiTest, CertificatesAreRenewedInTime) {
  ASSERT_TRUE(open().ok());
  const auto before = files();
  clock.advance(days(334));
  ASSERT_TRUE(open().ok());
  EXPECT_EQ(files(), before) << "31 days are left";
  clock.advance(days(1));
  const auto renewed = open();
  ASSERT_TRUE(renewed.ok());
  EXPECT_EQ(certificate(renewed->server_chain_pem).expires(), clock.now() + days(365));
  EXPECT_EQ(certificate(renewed->admin_cert_pem).expires(), clock.now() + days(365));
  auto after = files();
  for (const auto* name : {"ca.crt", "ca.key", "sa.key", "server.key", "admin.key"}) {
    EXPECT_EQ(after.at(name), before.at(name)) << name;
  }
}

TEST_F(PkiTest, OtherHostsMakeAnotherServerCertificate) {
  ASSERT_TRUE(open({"a"}).ok());
  const auto before = files();
  ASSERT_TRUE(open({"b"}).ok());
  const auto after = files();
  EXPECT_NE(after.at("server.crt"), before.at("server.crt"));
  EXPECT_EQ(after.at("admin.crt"), before.at("admin.crt"));
}

TEST_F(PkiTest, NoCertificateOutlivesTheAuthority) {
  ASSERT_TRUE(open().ok());
  clock.advance(days(3640));
  const auto pki = open();
  ASSERT_TRUE(pki.ok());
  EXPECT_EQ(certificate(pki->server_chain_pem).expires(), certificate(pki->ca_pem).expires());
  const auto before = files();
  ASSERT_TRUE(open().ok());
  EXPECT_EQ(files(), before) << "it cannot be renewed further";
  clock.advance(days(10));
  const auto expired = open();
  ASSERT_FALSE(expired.ok());
  EXPECT_NE(expired.error().message.find("ca.crt expired"), std::string::npos);
}

TEST_F(PkiTest, WhatOthersRelyOnIsNeverReplacedSilently) {
  struct Row {
    std::string name;
    std::string reason;
    std::string file;
    std::string content;  // empty: the file is removed
    std::string want;
  };
  const auto other_key = *new_private_key_pem();
  const std::vector<Row> rows = {
      {"no ca.crt", "clients trust it", "ca.crt", "", "ca.crt is missing; restore"},
      {"no ca.key", "it signs all others", "ca.key", "", "ca.key is missing; restore"},
      {"no sa.key", "tokens depend on it", "sa.key", "", "sa.key is missing; restore"},
      {"bad ca.crt", "damaged", "ca.crt", "rubbish", "ca.crt is not a certificate in PEM form; restore"},
      {"bad ca.key", "damaged", "ca.key", "rubbish", "ca.key is not an unencrypted private key"},
      {"bad sa.key", "damaged", "sa.key", "rubbish", "sa.key is not an unencrypted private key"},
      {"other ca.key", "they must belong together", "ca.key", other_key, "ca.crt does not belong to ca.key"},
      {"bad server.crt", "damaged, easily mended", "server.crt", "rubbish", "remove it"},
      {"bad admin.key", "damaged, easily mended", "admin.key", "rubbish", "remove it"},
  };
  ASSERT_TRUE(open().ok());
  const auto good = files();
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    if (row.content.empty()) {
      std::filesystem::remove(path(row.file));
    } else {
      ASSERT_TRUE(write_file(path(row.file), row.content, 0600).ok());
    }
    const auto before = files();
    const auto got = open();
    ASSERT_FALSE(got.ok());
    EXPECT_NE(got.error().message.find(row.want), std::string::npos) << got.error().message;
    EXPECT_NE(got.error().message.find(directory), std::string::npos);
    EXPECT_EQ(got.error().message.find("PRIVATE"), std::string::npos);
    EXPECT_EQ(files(), before);
    ASSERT_TRUE(write_file(path(row.file), good.at(row.file), 0600).ok());
  }
}

TEST_F(PkiTest, ACertificateOfAnythingElseIsNoAuthority) {
  ASSERT_TRUE(open().ok());
  ASSERT_TRUE(write_file(path("ca.crt"), *read_file(path("server.crt"))).ok());
  const auto got = open();
  ASSERT_FALSE(got.ok());
  EXPECT_NE(got.error().message.find("not the certificate of an authority"), std::string::npos);
}

TEST_F(PkiTest, WhatTheAuthorityIssuedIsReplacedFreely) {
  for (const auto* name : {"server.crt", "server.key", "admin.crt", "admin.key"}) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(open().ok());
    std::filesystem::remove(path(name));
    const auto pki = open();
    ASSERT_TRUE(pki.ok()) << pki.error().message;
    EXPECT_TRUE(certificate(pki->server_chain_pem).holds(read_private_key(pki->server_key_pem)));
    EXPECT_TRUE(certificate(pki->admin_cert_pem).holds(read_private_key(pki->admin_key_pem)));
  }
}

// The files appear one after the other; a crash after any of them must be mended by the next start.
TEST_F(PkiTest, AnInterruptedFirstStartIsFinished) {
  ASSERT_TRUE(open().ok());
  const auto complete = files();
  const Texts order = {"sa.key", "ca.key", "ca.crt", "server.key", "server.crt", "admin.key", "admin.crt"};
  for (size_t written = 0; written <= order.size(); ++written) {
    SCOPED_TRACE(written);
    std::filesystem::remove_all(directory);
    ASSERT_TRUE(make_directories(directory).ok());
    for (size_t i = 0; i < written; ++i) ASSERT_TRUE(write_file(path(order[i]), complete.at(order[i]), 0600).ok());
    const auto pki = open();
    ASSERT_TRUE(pki.ok()) << pki.error().message;
    EXPECT_TRUE(certificate(pki->admin_cert_pem).signed_by(certificate(pki->ca_pem)));
    if (written > 0) {
      EXPECT_EQ(pki->sa_key_pem, complete.at("sa.key"));
    }
    if (written > 2) {
      EXPECT_EQ(pki->ca_pem, complete.at("ca.crt"));
    }
  }
}

TEST_F(PkiTest, HostsMustBeNamesOrAddresses) {
  for (const auto* host : {"", "a b", "host:443", "https://x", "a,DNS:evil", "-x"}) {
    const auto got = open({host});
    ASSERT_FALSE(got.ok()) << host;
    EXPECT_EQ(got.error().http(), 400) << host;
  }
  EXPECT_FALSE(file_exists(directory));
}

TEST_F(PkiTest, TheKubeconfigHoldsAllThatIsNeeded) {
  const auto pki = *open();
  const auto file = path("admin.kubeconfig");
  ASSERT_TRUE(write_admin_kubeconfig(file, "https://127.0.0.1:6443", pki).ok());
  struct stat info {};
  ASSERT_EQ(stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0600u);
  const auto text = *read_file(file);
  for (const auto& piece :
       {std::string("server: \"https://127.0.0.1:6443\"\n"), "certificate-authority-data: " + base64_encode(pki.ca_pem),
        "client-certificate-data: " + base64_encode(pki.admin_cert_pem),
        "client-key-data: " + base64_encode(pki.admin_key_pem), std::string("current-context: admin@chandler\n")}) {
    EXPECT_NE(text.find(piece), std::string::npos) << piece;
  }
}

}  // namespace
}  // namespace chandler::auth
