#include "resolve/provisioner.h"

#include <gtest/gtest.h>

namespace chandler::resolve {
namespace {

TEST(Provisioner, IsAKindWithGroupAndVersion) {
  const struct {
    std::string_view text, expected, why;
  } rows[] = {
      {"rdsinstance.database.aws.crossplane.io/v1alpha1", "rdsinstance|database.aws.crossplane.io|v1alpha1",
       "the seed's"},
      {"PostgreSQLServer.database.example.org/v1", "postgresqlserver|database.example.org|v1", "case does not matter"},
      {"thing.example.org", "thing|example.org|", "the preferred version"},
      {"thing", "none", "a kind alone does not say whose"},
      {"thing./v1", "none", "an empty group"},
      {".example.org/v1", "none", "an empty kind"},
      {"thing.example.org/", "none", "an empty version"},
      {"thing.example.org/v1/x", "none", "more than a version"},
      {"a thing.example.org/v1", "none", "no kind has blanks"},
      {"", "none", "nothing"},
  };
  for (const auto& row : rows) {
    const auto parsed = parse_provisioner(row.text);
    EXPECT_EQ(parsed ? parsed->kind + "|" + parsed->group + "|" + parsed->version : "none", row.expected)
        << row.text << ": " << row.why;
  }
}

TEST(Provisioner, IsNeverAKindThatGivesRightsOrRunsPrograms) {
  const struct {
    std::string_view text;
    bool fits;
    std::string_view why;
  } rows[] = {
      {"serviceinstance.servicecatalog.k8s.io/v1beta1", true, "the catalog"},
      {"servicebinding.servicecatalog.k8s.io/v1beta1", false, "made along with an instance only"},
      {"rdsinstance.database.aws.crossplane.io/v1alpha1", true, "a provider's"},
      {"clusterrolebinding.rbac.authorization.k8s.io/v1", false, "would give rights"},
      {"deployment.apps/v1", false, "would run programs"},
      {"resourceclass.core.crossplane.io/v1alpha1", false, "would make classes"},
      {"bucket.storage.crossplane.io/v1alpha1", false, "a claim"},
      {"volumesnapshot.snapshot.storage.k8s.io/v1", false, "a protected group"},
  };
  for (const auto& row : rows) {
    const auto parsed = parse_provisioner(row.text);
    ASSERT_TRUE(parsed) << row.text;
    EXPECT_EQ(unfit_provisioner(*parsed).empty(), row.fits) << row.text << ": " << row.why;
  }
}

}  // namespace
}  // namespace chandler::resolve
