// get and describe storageclasses; complete outputs are in tests/golden/svcat.
#include <gtest/gtest.h>

#include "svcat/fake_server_fixture.h"
#include "svcat/storageclasses/storage_objects_fixture.h"

namespace chandler::svcat {
namespace {

using namespace testing;

struct StorageClasses : ::testing::Test {
  StorageClasses() {
    for (const auto yaml : {kStorageClass, kTypos}) shell.server.put(yaml);
  }
  Shell shell;
};

TEST_F(StorageClasses, AreDescribedAsInTheProposal) {
  ASSERT_EQ(shell.run("describe storageclass default"), 0) << shell.err;
  const std::string_view sample = R"(Name:           default
IsDefaultClass: Yes
Provisioner:    kubernetes.io/aws-ebs
SelectorOptions:
    failure-domain.beta.kubernetes.io/zone
      - requested AWS availability zone
      - values:
        - us-east-1a
        - us-east-1b
        - us-east-1c
        - us-east-2a
        - us-east-2b
        - us-east-2c

    encryption.beta.kubernetes.io/enabled
      - request volume encryption
      - values:
        - true
        - false (default)

    encryption.beta.kubernetes.io/key-id
      - ID of AWS encryption key

Parameters: type=pd-standard,zones=us-east-1a, us-east-1b, us-east-1c, us-east-2a, us-east-2b, us-east-2c
)";
  EXPECT_EQ(shell.out.substr(0, sample.size()), sample);
}

TEST_F(StorageClasses, OnlyTheNewestDefaultCounts) {
  shell.server.put(R"(
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: newer, creationTimestamp: "2024-01-01T00:00:00Z", annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: x
)");
  ASSERT_EQ(shell.run("get sc"), 0);
  EXPECT_NE(shell.out.find("newer (default)"), std::string::npos) << shell.out;
  EXPECT_EQ(shell.out.find("default (default)"), std::string::npos) << shell.out;
}

}  // namespace
}  // namespace chandler::svcat
