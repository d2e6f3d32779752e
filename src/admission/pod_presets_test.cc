#include <fmt/format.h>
#include <gmock/gmock.h>

#include "admission/fake_lookup.h"
#include "admission/fields.h"
#include "admission/kind_rules.h"
#include "admission/pod_preset_merge.h"

namespace chandler::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct MergeRow {
  std::string name;
  std::string reason;
  std::string pod;
  std::string preset;
  std::string want;  // the spec afterwards, or part of the conflict
  bool conflict = false;
};

TEST(PodPresetMerge, AddsWhatIsMissingOrSaysWhatDisagrees) {
  const std::vector<MergeRow> rows = {
      {"env", "every container and init container", R"({"containers":[{"name":"a"}],"initContainers":[{"name":"b"}]})",
       R"({"env":[{"name":"X","value":"1"}]})",
       R"({"containers":[{"env":[{"name":"X","value":"1"}],"name":"a"}],)"
       R"("initContainers":[{"env":[{"name":"X","value":"1"}],"name":"b"}]})"},
      {"same env", "equal is one", R"({"containers":[{"name":"a","env":[{"name":"X","value":"1"}]}]})",
       R"({"env":[{"name":"X","value":"1"}]})", R"({"containers":[{"env":[{"name":"X","value":"1"}],"name":"a"}]})"},
      {"other env", "which of the two?", R"({"containers":[{"name":"a","env":[{"name":"X","value":"2"}]}]})",
       R"({"env":[{"name":"X","value":"1"}]})", R"(container "a": env "X" is there with another content)", true},
      {"envFrom", "what the pod has comes first",
       R"({"containers":[{"name":"a","envFrom":[{"secretRef":{"name":"s"}}]}]})",
       R"({"envFrom":[{"prefix":"P_","secretRef":{"name":"s"}}]})",
       R"({"containers":[{"envFrom":[{"secretRef":{"name":"s"}},{"prefix":"P_","secretRef":{"name":"s"}}],"name":"a"}]})"},
      {"same envFrom", "not twice", R"({"containers":[{"name":"a","envFrom":[{"secretRef":{"name":"s"}}]}]})",
       R"({"envFrom":[{"secretRef":{"name":"s"}}]})",
       R"({"containers":[{"envFrom":[{"secretRef":{"name":"s"}}],"name":"a"}]})"},
      {"optional envFrom", "must it be there or not?",
       R"({"containers":[{"name":"a","envFrom":[{"secretRef":{"name":"s","optional":true}}]}]})",
       R"({"envFrom":[{"secretRef":{"name":"s"}}]})", R"(envFrom "s")", true},
      {"volumes", "by name", R"({"containers":[{"name":"a"}],"volumes":[{"name":"v","emptyDir":{}}]})",
       R"({"volumes":[{"name":"v","emptyDir":{}},{"name":"w","emptyDir":{}}],"volumeMounts":[{"name":"w","mountPath":"/w"}]})",
       R"({"containers":[{"name":"a","volumeMounts":[{"mountPath":"/w","name":"w"}]}],)"
       R"("volumes":[{"emptyDir":{},"name":"v"},{"emptyDir":{},"name":"w"}]})"},
      {"other volume", "two of a name", R"({"volumes":[{"name":"v","emptyDir":{}}]})",
       R"({"volumes":[{"name":"v","secret":{"secretName":"s"}}]})", R"(volumes "v")", true},
      {"mount path", "two in one place",
       R"({"containers":[{"name":"a","volumeMounts":[{"name":"v","mountPath":"/x"}]}]})",
       R"({"volumeMounts":[{"name":"w","mountPath":"/x"}]})", R"(volumeMounts "w")", true},
      {"mount name", "as the rule has it",
       R"({"containers":[{"name":"a","volumeMounts":[{"name":"v","mountPath":"/x"}]}]})",
       R"({"volumeMounts":[{"name":"v","mountPath":"/y"}]})", R"(volumeMounts "v")", true},
      {"nothing", "an empty preset", R"({"containers":[{"name":"a"}]})", R"({})", R"({"containers":[{"name":"a"}]})"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    auto pod = document(row.pod);
    const auto before = json::write(pod);
    const auto why = PodPresetMerge(pod.as_object()).add(document(row.preset));
    ASSERT_EQ(why.has_value(), row.conflict) << why.value_or("");
    if (row.conflict) {
      EXPECT_THAT(*why, HasSubstr(row.want));
      EXPECT_EQ(json::write(pod), before) << "all or nothing";
    } else {
      EXPECT_EQ(json::write(pod), row.want);
    }
  }
}

TEST(PodPresetMerge, AddsNoMoreThanABoundToAllContainers) {
  std::string containers, env;
  for (int i = 0; i < 1000; ++i) {
    containers += fmt::format(R"({}{{"name":"c{}"}})", i == 0 ? "" : ",", i);
    env += fmt::format(R"({}{{"name":"E{}"}})", i == 0 ? "" : ",", i);
  }
  auto pod = document(fmt::format(R"({{"containers":[{}]}})", containers));
  const auto before = json::write(pod);
  PodPresetMerge merge(pod.as_object());
  EXPECT_EQ(merge.add(document(R"({"env":[{"name":"A"}]})")), std::nullopt);
  EXPECT_NE(json::write(pod), before);
  const auto between = json::write(pod);
  const auto why = merge.add(document(fmt::format(R"({{"env":[{}]}})", env)));
  ASSERT_TRUE(why.has_value()) << "a million entries";
  EXPECT_THAT(*why, HasSubstr("for each of 1000 containers"));
  EXPECT_EQ(json::write(pod), between);
}

TEST(PodPresetMerge, APresetThatIsNotAppliedLeavesTheBoundToOthers) {
  auto pod = document(R"({"containers":[{"name":"a","env":[{"name":"X","value":"1"}]}]})");
  PodPresetMerge merge(pod.as_object());
  const auto of_size = [](std::string_view name, size_t bytes) {
    return document(fmt::format(R"({{"env":[{{"name":"{}","value":"{}"}}]}})", name, std::string(bytes, 'v')));
  };
  constexpr size_t kMost = PodPresetMerge::kMostBytes;
  EXPECT_THAT(merge.add(of_size("LARGE", 2 * kMost)).value_or(""), HasSubstr("all presets together may have"));
  EXPECT_EQ(merge.add(document(R"({"env":[{"name":"A"}]})")), std::nullopt);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(merge.add(of_size("X", kMost / 2)).value_or(""), HasSubstr("is there with another content")) << i;
  }
  EXPECT_EQ(merge.add(of_size("B", kMost / 2)), std::nullopt);
  EXPECT_TRUE(merge.add(of_size("C", kMost / 2)).has_value()) << "what was applied is counted";
  EXPECT_EQ(merge.add(document(R"({"env":[{"name":"D"}]})")), std::nullopt);
}

// Each of these is in conflict with the last container, after all others have been compared.
TEST(PodPresetMerge, ConflictsAreComparedOnlySoOften) {
  auto pod = document(R"({"containers":[]})");
  auto& containers = pod.at("containers").as_array();
  for (int i = 0; i < 10'000; ++i) containers.push_back(json::Object{{"name", "c" + std::to_string(i)}});
  containers.back() = document(R"({"name":"last","env":[{"name":"X","value":"1"}]})");
  PodPresetMerge merge(pod.as_object());
  size_t compared = 0;
  for (int i = 0; i < 1'000; ++i) {
    const auto why = merge.add(document(R"({"env":[{"name":"X","value":"2"}]})"));
    ASSERT_TRUE(why.has_value());
    if (why->find("container \"last\"") != std::string::npos) ++compared;
  }
  EXPECT_GT(compared, 100u);
  EXPECT_LT(compared, 200u);
}

TEST(PodPresetMerge, EachPresetSeesWhatThoseBeforeItHaveAdded) {
  auto pod = document(R"({"containers":[{"name":"a"}]})");
  PodPresetMerge merge(pod.as_object());
  EXPECT_EQ(merge.add(document(R"({"env":[{"name":"X","value":"1"}]})")), std::nullopt);
  EXPECT_EQ(merge.add(document(R"({"env":[{"name":"X","value":"1"},{"name":"Y","value":"1"}]})")), std::nullopt);
  EXPECT_EQ(merge.add(document(R"({"env":[{"name":"Z","value":"1"},{"name":"Y","value":"2"}]})")),
            R"(container "a": env "Y" is there with another content)");
  EXPECT_EQ(merge.add(document(R"({"env":[{"name":"W","value":"1"},{"name":"W","value":"2"}]})")),
            R"(container "a": env "W" is there with another content)")
      << "it contradicts itself";
  EXPECT_EQ(json::write(pod),
            R"({"containers":[{"env":[{"name":"X","value":"1"},{"name":"Y","value":"1"}],"name":"a"}]})");
}

class PodPresets : public ::testing::Test {
 protected:
  void preset(const std::string& name, const std::string& selector, const std::string& env,
              const std::string& ns = "a") {
    lookup.add("settings.svcat.k8s.io/podpresets", R"({"metadata":{"name":")" + name + R"(","namespace":")" + ns +
                                                       R"("},"spec":{"selector":)" + selector + R"(,"env":[)" + env +
                                                       "]}}");
  }
  json::Value created(const std::string& annotations = "", const std::string& env = "",
                      registry::Operation operation = registry::Operation::kCreate) {
    auto pod = document(R"({"metadata":{"name":"p","namespace":"a","labels":{"app":"w","use-1":"x"})" +
                        (annotations.empty() ? "" : R"(,"annotations":{)" + annotations + "}") +
                        R"(},"spec":{"containers":[{"name":"c","env":[)" + env + "]}]}}");
    Context context;
    context.operation = operation;
    context.object = &pod;
    context.lookup = &lookup;
    context.warnings = &warnings;
    apply_pod_presets(context);
    return pod;
  }
  static std::string env_of(const json::Value& pod) {
    std::string out;
    each(pod.at("spec").at("containers").as_array().front(), "env", meta::Path(),
         [&](const json::Value& variable, const meta::Path&) { out += json::string_or(variable, "name") + " "; });
    return out;
  }
  static std::string note_of(const json::Value& pod, std::string_view key) {
    return json::string_or(member(pod.at("metadata"), "annotations"), key);
  }

  FakeLookup lookup;
  std::vector<std::string> warnings;
};

TEST_F(PodPresets, ReachThePodsTheySelect) {
  preset("key", R"({"matchExpressions":[{"key":"use-1","operator":"Exists"}]})", R"({"name":"A"})");
  preset("value", R"({"matchLabels":{"app":"w"}})", R"({"name":"B"})");
  preset("all", "{}", R"({"name":"C"})");
  preset("not", R"({"matchLabels":{"app":"x"}})", R"({"name":"D"})");
  preset("elsewhere", "{}", R"({"name":"E"})", "b");
  const auto pod = created();
  EXPECT_EQ(env_of(pod), "A B C ");
  EXPECT_EQ(note_of(pod, "podpreset.admission.kubernetes.io/podpreset-key"), "1");
  EXPECT_EQ(note_of(pod, "podpreset.admission.kubernetes.io/podpreset-not"), "");
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_EQ(env_of(created("", "", registry::Operation::kUpdate)), "") << "a pod runs as it was made";
}

TEST_F(PodPresets, LeaveAloneWhoAsksForIt) {
  preset("all", "{}", R"({"name":"C"})");
  EXPECT_EQ(env_of(created(R"("podpreset.admission.kubernetes.io/exclude":"true")")), "");
  EXPECT_EQ(env_of(created(R"("podpreset.admission.kubernetes.io/exclude":"false")")), "C ");
  EXPECT_EQ(env_of(created(R"("kubernetes.io/config.mirror":"x")")), "") << "a mirror shows what runs already";
}

TEST_F(PodPresets, AConflictIsToldAndConcernsItsPresetAlone) {
  preset("bad", "{}", R"({"name":"A","value":"preset"},{"name":"Z"})");
  preset("good", "{}", R"({"name":"B"})");
  const auto pod =
      created(R"("podpreset.admission.kubernetes.io/conflicts":"{\"forged\":\"x\"}")", R"({"name":"A","value":"own"})");
  EXPECT_EQ(env_of(pod), "A B ");
  EXPECT_THAT(warnings, ElementsAre(HasSubstr(R"(PodPreset "bad" was not applied: container "c": env "A")")));
  EXPECT_EQ(note_of(pod, "podpreset.admission.kubernetes.io/conflicts"),
            R"({"bad":"container \"c\": env \"A\" is there with another content"})");
  EXPECT_EQ(note_of(pod, "podpreset.admission.kubernetes.io/podpreset-bad"), "");
}

TEST_F(PodPresets, AreReadUpToABound) {
  constexpr size_t kLarge = 5 * 1024 * 1024;
  for (const auto* name : {"a", "b", "c"}) {
    preset(name, "{\"matchLabels\":{\"no\":\"pod\"}}", R"({"name":"X","value":")" + std::string(kLarge, 'x') + R"("})");
  }
  preset("d", "{}", R"({"name":"D"})");
  preset("e", "{\"matchLabels\":{\"no\":\"pod\"}}", R"({"name":"X","value":")" + std::string(kLarge, 'x') + R"("})");
  preset("f", "{}", R"({"name":"F"})");
  EXPECT_EQ(env_of(created("")), "D ");
  EXPECT_THAT(warnings, ElementsAre(HasSubstr(R"(PodPreset "e" and those after it were not applied)")));
}

TEST_F(PodPresets, APodWithoutASpecIsLeftToTheSchema) {
  preset("all", "{}", R"({"name":"C"})");
  const std::string bare = R"({"metadata":{"name":"p","namespace":"a"}})";
  auto pod = document(bare);
  Context context;
  context.operation = registry::Operation::kCreate;
  context.object = &pod;
  context.lookup = &lookup;
  apply_pod_presets(context);
  EXPECT_EQ(json::write(pod), bare);
}

TEST_F(PodPresets, TheSelectorIsChecked) {
  expect_checks(check_pod_preset, {{"everything", "an empty selector", R"({"spec":{"selector":{}}})", "", {}},
                                   {"no values",
                                    "In needs some",
                                    R"({"spec":{"selector":{"matchExpressions":[{"key":"a","operator":"In"}]}}})",
                                    "",
                                    {"spec.selector.matchExpressions[0].values Invalid"}}});
}

}  // namespace
}  // namespace chandler::admission
