#include "admission/kind_rules.h"
#include "admission/rule_rows.h"

namespace chandler::admission {
namespace {

TEST(Namespace, IsCompletedWithItsNameAndFinalizer) {
  expect_defaults(
      default_namespace,
      {{"new", "a namespace is found by its name label and cleaned up before it goes",
        R"({"metadata":{"name":"a"},"spec":{}})", "",
        R"({"metadata":{"name":"a","labels":{"kubernetes.io/metadata.name":"a"}},
            "spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}})"},
       {"own labels and finalizers", "what the user says is kept beside it",
        R"({"metadata":{"name":"a","labels":{"x":"y","kubernetes.io/metadata.name":"other"}},"spec":{"finalizers":["x.io/f"]}})",
        "",
        R"({"metadata":{"name":"a","labels":{"x":"y","kubernetes.io/metadata.name":"a"}},
            "spec":{"finalizers":["x.io/f","kubernetes"]},"status":{"phase":"Active"}})"},
       {"update", "the label comes back, finalizers change through finalize only",
        R"({"metadata":{"name":"a"},"spec":{"finalizers":[]}})", R"({"spec":{"finalizers":["kubernetes"]}})",
        R"({"metadata":{"name":"a","labels":{"kubernetes.io/metadata.name":"a"}},"spec":{"finalizers":["kubernetes"]}})"},
       {"update after clean-up", "a finalizer that is gone does not come back",
        R"({"metadata":{"name":"a"},"spec":{"finalizers":["kubernetes"]}})", R"({"spec":{}})",
        R"({"metadata":{"name":"a","labels":{"kubernetes.io/metadata.name":"a"}},"spec":{}})"}});
}

TEST(Namespace, FinalizeSetsTheFinalizers) {
  auto object = document(R"({"metadata":{"name":"a"},"spec":{}})");
  const auto old = document(R"({"metadata":{"name":"a"},"spec":{"finalizers":["kubernetes"]}})");
  Context context;
  context.operation = registry::Operation::kUpdate;
  context.subresource = "finalize";
  context.object = &object;
  context.old = &old;
  default_namespace(context);
  EXPECT_EQ(json::find_path(object, {"spec", "finalizers"}), nullptr);
}

TEST(Namespace, FinalizersNeedADomain) {
  expect_checks(
      check_namespace,
      {{"fine", "both kinds of names", R"({"spec":{"finalizers":["kubernetes","x.io/f"]}})", "", {}},
       {"plain", "whose is it?", R"({"spec":{"finalizers":["plain"]}})", "", {"spec.finalizers[0] Invalid"}}});
}

TEST(Namespace, PhaseFollowsTheDeletion) {
  expect_checks(check_namespace_status,
                {{"active", "not being deleted", R"({"metadata":{},"status":{"phase":"Active"}})", "", {}},
                 {"early",
                  "Terminating needs a deletion",
                  R"({"metadata":{},"status":{"phase":"Terminating"}})",
                  "",
                  {"status.Phase Invalid"}},
                 {"terminating",
                  "being deleted",
                  R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},"status":{"phase":"Terminating"}})",
                  "",
                  {}},
                 {"late",
                  "there is no way back",
                  R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},"status":{"phase":"Active"}})",
                  "",
                  {"status.Phase Invalid"}}});
}

TEST(Namespace, ThoseOfTheSystemStay) {
  for (const auto* name : {"default", "kube-public", "kube-system"}) {
    const auto old = document(std::string(R"({"metadata":{"name":")") + name + R"("}})");
    Context context;
    context.old = &old;
    const auto permitted = permit_namespace_delete(context);
    ASSERT_FALSE(permitted.ok()) << name;
    EXPECT_EQ(permitted.error().http(), 403);
    EXPECT_EQ(permitted.error().about.name, name);
  }
  const auto old = document(R"({"metadata":{"name":"mine"}})");
  Context context;
  context.old = &old;
  EXPECT_TRUE(permit_namespace_delete(context).ok());
}

TEST(Namespace, DeletionShowsInItsPhase) {
  auto object = document(
      R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z","deletionGracePeriodSeconds":0},"status":{"phase":"Active"}})");
  Context context;
  context.object = &object;
  terminate_namespace(context);
  EXPECT_EQ(json::write(object),
            R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},"status":{"phase":"Terminating"}})");
}

}  // namespace
}  // namespace chandler::admission
