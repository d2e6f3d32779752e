#include "registry/object_rules.h"

#include "base/time_text.h"
#include "registry/registry_fixture.h"

namespace chandler::registry {
namespace {

using testing::notes;
using testing::widgets;
using testing::yaml;
using Propagation = DeleteOptions::Propagation;

constexpr std::string_view kNow = "2024-01-02T03:04:05Z";
WallTime now() { return *parse_rfc3339(kNow); }

WriteRequest request(const KindPtr& kind, std::string_view subresource = "") {
  WriteRequest out;
  out.kind = kind;
  out.version = &kind->storage_version();
  out.ns = "ns";
  out.name = "a";
  out.subresource = subresource;
  return out;
}

TEST(Conform, DropsWhatTheSchemaDoesNotKnowAndSaysSo) {
  struct Row {
    std::string name;
    std::string reason;
    FieldValidation validation;
    std::string object;
    std::string want;  // "": refused
    std::vector<std::string> warnings;
  };
  const std::vector<Row> rows = {
      {"known",
       "nothing to drop",
       FieldValidation::kStrict,
       "{metadata: {name: a}, spec: {color: red}}",
       "{metadata: {name: a}, spec: {color: red}}",
       {}},
      {"warned",
       "unknown fields are dropped with a warning",
       FieldValidation::kWarn,
       "{metadata: {name: a, zone: x}, spec: {colour: red}, extra: 1}",
       "{metadata: {name: a}, spec: {}}",
       {"unknown field \"metadata.zone\"", "unknown field \"spec.colour\"", "unknown field \"extra\""}},
      {"ignored",
       "dropped in silence",
       FieldValidation::kIgnore,
       "{metadata: {name: a}, extra: 1}",
       "{metadata: {name: a}}",
       {}},
      {"strict", "refused as a whole", FieldValidation::kStrict, "{metadata: {name: a}, extra: 1}", "", {}},
      {"empty metadata",
       "empty maps, lists and texts of metadata say nothing",
       FieldValidation::kStrict,
       "{metadata: {name: a, labels: {}, annotations: null, finalizers: [], ownerReferences: [], generateName: '', "
       "creationTimestamp: null}}",
       "{metadata: {name: a}}",
       {}},
      {"no metadata", "it is made", FieldValidation::kStrict, "{spec: {}}", "{metadata: {}, spec: {}}", {}},
      {"metadata of another type", "refused", FieldValidation::kIgnore, "{metadata: 1}", "", {}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    auto asked = request(widgets());
    asked.validation = row.validation;
    auto object = yaml(row.object);
    std::vector<std::string> warnings;
    const auto outcome = conform(asked, object, warnings);
    ASSERT_EQ(outcome.ok(), !row.want.empty());
    if (!outcome.ok()) {
      EXPECT_EQ(outcome.error().reason, Reason::kBadRequest);
      continue;
    }
    EXPECT_EQ(json::write(object), json::write(yaml(row.want)));
    std::sort(warnings.begin(), warnings.end());
    auto want = row.warnings;
    std::sort(want.begin(), want.end());
    EXPECT_EQ(warnings, want);
  }
}

TEST(Conform, TellsOfDuplicateKeys) {
  auto asked = request(widgets());
  asked.duplicates = {"spec.color"};
  auto object = yaml("{metadata: {name: a}}");
  std::vector<std::string> warnings;
  ASSERT_TRUE(conform(asked, object, warnings).ok());
  EXPECT_EQ(warnings, std::vector<std::string>{"duplicate field \"spec.color\""});
  asked.validation = FieldValidation::kStrict;
  EXPECT_FALSE(conform(asked, object, warnings).ok());
}

TEST(Conform, AWrongTypeInABuiltInKindIsABadRequest) {
  std::vector<std::string> warnings;
  auto object = yaml("{metadata: {name: a}, text: 5}");
  const auto refused = conform(request(notes()), object, warnings);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kBadRequest);
  auto custom = yaml("{metadata: {name: a}, spec: {color: 5}}");
  EXPECT_TRUE(conform(request(widgets()), custom, warnings).ok()) << "validation names all faults of custom resources";
}

TEST(BeginLife, TheServerSetsWhatOnlyItMaySet) {
  auto object = yaml(R"(
metadata: {name: a, uid: mine, resourceVersion: "5", generation: 9, selfLink: /x, managedFields: [], namespace: other,
  creationTimestamp: "2000-01-01T00:00:00Z", deletionTimestamp: "2000-01-01T00:00:00Z", deletionGracePeriodSeconds: 5,
  labels: {a: b}, finalizers: [example.com/f]}
spec: {color: red}
status: {phase: Done}
)");
  begin_life(request(widgets()), now(), object);
  const auto uid = json::string_or(object.at("metadata"), "uid");
  EXPECT_EQ(uid.size(), 36u);
  object.at("metadata").as_object().erase("uid");
  EXPECT_EQ(json::write(object), json::write(yaml(R"(
metadata: {name: a, namespace: ns, generation: 1, creationTimestamp: "2024-01-02T03:04:05Z", labels: {a: b},
  finalizers: [example.com/f]}
spec: {color: red}
)")));

  auto whole = request(widgets());
  whole.with_status = true;
  auto begun = yaml("{metadata: {name: a}, spec: {color: red}, status: {phase: Done}}");
  begin_life(whole, now(), begun);
  EXPECT_EQ(json::write(begun.at("status")), R"({"phase":"Done"})") << "as controllers may make it";

  auto note = yaml("{metadata: {name: a}, text: hi}");
  begin_life(request(notes()), now(), note);
  EXPECT_FALSE(note.at("metadata").as_object().contains("generation")) << "its rules say so";
}

TEST(KeepSystemFields, AnUpdateTouchesOnlyItsPart) {
  const std::string old_text = R"(
metadata: {name: a, namespace: ns, uid: u, generation: 3, creationTimestamp: "2024-01-01T00:00:00Z"}
spec: {color: red}
status: {phase: Ready}
)";
  struct Row {
    std::string name;
    std::string reason;
    std::string subresource;
    std::string object;
    std::string want;
  };
  const std::vector<Row> rows = {
      {"main", "status, generation and marks of the server stay", "",
       "{metadata: {name: a, generation: 99, resourceVersion: '4', labels: {x: y}}, spec: {color: blue}, status: "
       "{phase: "
       "Lost}}",
       "{metadata: {name: a, namespace: ns, uid: u, generation: 3, creationTimestamp: '2024-01-01T00:00:00Z', labels: "
       "{x: "
       "y}}, spec: {color: blue}, status: {phase: Ready}}"},
      {"main without status", "leaving the status out does not remove it", "", "{metadata: {name: a}, spec: {}}",
       "{metadata: {name: a, namespace: ns, uid: u, generation: 3, creationTimestamp: '2024-01-01T00:00:00Z'}, spec: "
       "{}, "
       "status: {phase: Ready}}"},
      {"uid given", "a different uid is left for validation to refuse", "", "{metadata: {name: a, uid: v}}",
       "{metadata: {name: a, namespace: ns, uid: v, generation: 3, creationTimestamp: '2024-01-01T00:00:00Z'}, status: "
       "{phase: Ready}}"},
      {"status", "nothing but the status comes from the request", "status",
       "{metadata: {name: a, labels: {x: y}}, spec: {color: blue}, status: {phase: Done}}",
       "{metadata: {name: a, namespace: ns, uid: u, generation: 3, creationTimestamp: '2024-01-01T00:00:00Z'}, spec: "
       "{color: red}, status: {phase: Done}}"},
      {"no status", "an absent status removes it", "status", "{metadata: {name: a}}",
       "{metadata: {name: a, namespace: ns, uid: u, generation: 3, creationTimestamp: '2024-01-01T00:00:00Z'}, spec: "
       "{color: red}}"},
      {"finalize", "nothing but the spec comes from the request", "finalize",
       "{metadata: {name: a}, spec: {color: blue}, status: {phase: Done}}",
       "{metadata: {name: a, namespace: ns, uid: u, generation: 3, creationTimestamp: '2024-01-01T00:00:00Z'}, spec: "
       "{color: blue}, status: {phase: Ready}}"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    auto object = yaml(row.object);
    keep_system_fields(request(widgets(), row.subresource), yaml(old_text), object);
    EXPECT_EQ(json::write(object), json::write(yaml(row.want)));
  }
}

TEST(KeepSystemFields, AWriteOfTheStatusDoesNotSpellOtherNumbersAnew) {
  // As a fraction an integer is another text for selectors, and beyond 53 bits another number when it is read again.
  const auto old = yaml("{metadata: {name: a, uid: u}, spec: {size: 3, many: 4611686018427387904}}");
  auto object = yaml("{metadata: {name: a}, spec: {}, status: {phase: Done}}");
  object.at("spec").as_object() = {{"size", 3.0}, {"many", 4611686018427387904.0}};
  keep_system_fields(request(widgets(), "status"), old, object);
  EXPECT_TRUE(object.at("spec").at("size").is_int64());
  EXPECT_EQ(json::write(object.at("spec")), R"({"many":4611686018427387904,"size":3})");
}

TEST(DesiredStateDiffers, OnlyWhereAControllerMustAct) {
  struct Row {
    std::string name;
    std::string reason;
    std::string a, b;
    bool want;
  };
  const std::vector<Row> rows = {
      {"same", "order and spelling of numbers do not count", "{spec: {a: 1, b: 2}}", "{spec: {b: 2, a: 1.0}}", false},
      {"spec", "changed", "{spec: {a: 1}}", "{spec: {a: 2}}", true},
      {"added", "a new member", "{}", "{spec: {}}", true},
      {"removed", "a lost member", "{spec: {}}", "{}", true},
      {"metadata", "labels are no desired state", "{metadata: {labels: {a: b}}}", "{metadata: {}}", false},
      {"status", "the status is not desired", "{status: {a: 1}}", "{status: {a: 2}}", false},
      {"version", "the same object in another version", "{apiVersion: v1}", "{apiVersion: v2}", false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    EXPECT_EQ(desired_state_differs(widgets()->storage_version(), false, yaml(row.a), yaml(row.b)), row.want);
  }
  Version plain;  // a custom resource without the subresource: its status is a field like others
  EXPECT_TRUE(desired_state_differs(plain, false, yaml("{status: {a: 1}}"), yaml("{status: {a: 2}}")));
  EXPECT_FALSE(desired_state_differs(plain, true, yaml("{status: {a: 1}}"), yaml("{status: {a: 2}}")));
}

TEST(ValidateObject, NamesEveryFault) {
  struct Row {
    std::string name;
    std::string reason;
    KindPtr kind;
    std::string object;
    std::string old;  // "": create
    std::vector<std::string> want;
  };
  const std::string meta = "metadata: {name: a, namespace: ns, uid: u}";
  const std::vector<Row> rows = {
      {"fine", "nothing to say", widgets(), "{" + meta + ", spec: {color: red}}", "", {}},
      {"no name", "neither given nor generated", widgets(), "{metadata: {}}", "", {"metadata.name"}},
      {"bad name", "upper case", widgets(), "{metadata: {name: A}}", "", {"metadata.name"}},
      {"two faults",
       "all are told",
       widgets(),
       "{metadata: {name: A, labels: {'-': x}}, spec: {size: big}}",
       "",
       {"metadata.labels", "metadata.name", "spec.size"}},
      {"immutable", "changed", notes(), "{" + meta + ", author: bo}", "{" + meta + ", author: x}", {"author"}},
      {"immutable added", "absent is a value too", notes(), "{" + meta + ", author: bo}", "{" + meta + "}", {"author"}},
      {"immutable removed",
       "absent is a value too",
       notes(),
       "{" + meta + "}",
       "{" + meta + ", author: x}",
       {"author"}},
      {"immutable kept", "no change", notes(), "{" + meta + ", author: x}", "{" + meta + ", author: x}", {}},
      {"set once", "may be filled in", notes(), "{" + meta + ", topic: sea}", "{" + meta + "}", {}},
      {"set twice", "but not changed", notes(), "{" + meta + ", topic: sea}", "{" + meta + ", topic: x}", {"topic"}},
      {"set and removed", "nor removed", notes(), "{" + meta + "}", "{" + meta + ", topic: x}", {"topic"}},
      {"uid",
       "an object keeps its identity",
       widgets(),
       "{metadata: {name: a, namespace: ns, uid: v}}",
       "{" + meta + "}",
       {"metadata.uid"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto old = row.old.empty() ? json::Value() : yaml(row.old);
    meta::FieldErrors errors;
    validate_object(request(row.kind), yaml(row.object), row.old.empty() ? nullptr : &old, errors);
    std::vector<std::string> fields;
    for (const auto& cause : errors.causes()) fields.push_back(cause.field);
    std::sort(fields.begin(), fields.end());
    fields.erase(std::unique(fields.begin(), fields.end()), fields.end());
    EXPECT_EQ(fields, row.want);
  }
}

TEST(MarkDeleted, SetsTheMarksOnceAndTheFinalizerOfThePolicy) {
  struct Row {
    std::string name;
    std::string reason;
    Propagation propagation;
    std::string metadata;
    std::string want;
    bool changed;
  };
  const std::string marks = "deletionTimestamp: '2024-01-02T03:04:05Z', deletionGracePeriodSeconds: 0";
  const std::vector<Row> rows = {
      {"plain", "time stamp, grace period, generation", Propagation::kDefault, "{name: a, generation: 1}",
       "{name: a, generation: 2, " + marks + "}", true},
      {"again", "a second request changes nothing", Propagation::kDefault,
       "{name: a, generation: 2, deletionTimestamp: '2024-01-01T00:00:00Z', deletionGracePeriodSeconds: 0}",
       "{name: a, generation: 2, deletionTimestamp: '2024-01-01T00:00:00Z', deletionGracePeriodSeconds: 0}", false},
      {"foreground", "waits for its dependents", Propagation::kForeground,
       "{name: a, generation: 1, finalizers: [x/y]}",
       "{name: a, generation: 2, finalizers: [x/y, foregroundDeletion], " + marks + "}", true},
      {"orphan", "sets its dependents free", Propagation::kOrphan, "{name: a, generation: 1}",
       "{name: a, generation: 2, finalizers: [orphan], " + marks + "}", true},
      {"another mind", "the last policy counts", Propagation::kOrphan,
       "{name: a, generation: 2, finalizers: [foregroundDeletion, x/y], " + marks + "}",
       "{name: a, generation: 2, finalizers: [x/y, orphan], " + marks + "}", true},
      {"background", "takes both away", Propagation::kBackground,
       "{name: a, generation: 2, finalizers: [foregroundDeletion], " + marks + "}",
       "{name: a, generation: 2, " + marks + "}", true},
      {"default keeps", "without a policy the finalizers stay", Propagation::kDefault,
       "{name: a, generation: 1, finalizers: [orphan]}",
       "{name: a, generation: 2, finalizers: [orphan], " + marks + "}", true},
      {"same again", "foreground twice", Propagation::kForeground,
       "{name: a, generation: 2, finalizers: [foregroundDeletion], " + marks + "}",
       "{name: a, generation: 2, finalizers: [foregroundDeletion], " + marks + "}", false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    auto object = yaml("{metadata: " + row.metadata + "}");
    DeleteOptions options;
    options.propagation = row.propagation;
    EXPECT_EQ(mark_deleted(*widgets(), options, now(), object), row.changed);
    EXPECT_EQ(json::write(object), json::write(yaml("{metadata: " + row.want + "}")));
  }
  auto note = yaml("{metadata: {name: a}}");
  mark_deleted(*notes(), {}, now(), note);
  EXPECT_FALSE(note.at("metadata").as_object().contains("generation"));
}

TEST(MayBeRemoved, WhenNothingHoldsTheObject) {
  Kind namespaces;
  namespaces.plural = "namespaces";
  struct Row {
    std::string name;
    std::string reason;
    const Kind& kind;
    std::string object;
    bool want;
  };
  const std::vector<Row> rows = {
      {"free", "nothing holds it", *widgets(), "{metadata: {name: a}}", true},
      {"empty list", "nothing holds it", *widgets(), "{metadata: {name: a, finalizers: []}}", true},
      {"finalizer", "somebody has to act first", *widgets(), "{metadata: {name: a, finalizers: [x/y]}}", false},
      {"grace period", "it is not over", *widgets(), "{metadata: {name: a, deletionGracePeriodSeconds: 5}}", false},
      {"no grace", "it is over", *widgets(), "{metadata: {name: a, deletionGracePeriodSeconds: 0}}", true},
      {"full namespace", "it has a list of its own", namespaces,
       "{metadata: {name: a}, spec: {finalizers: [kubernetes]}}", false},
      {"empty namespace", "that list is empty", namespaces, "{metadata: {name: a}, spec: {}}", true},
      {"other spec", "only namespaces have that list", *widgets(), "{metadata: {name: a}, spec: {finalizers: [x]}}",
       true},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    EXPECT_EQ(may_be_removed(row.kind, yaml(row.object)), row.want);
  }
}

TEST(ValidateObject, RulesRunWhenTheSchemaHolds) {
  const auto kind = testing::load(yaml(
      "{spec: {group: example.com, scope: Namespaced, names: {plural: pools, kind: Pool}, versions: [{name: v1, "
      "served: "
      "true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: "
      "{min: {type: integer}, max: {type: integer}}, x-kubernetes-validations: [{rule: self.min <= self.max, message: "
      "too small}]}}}}}]}}"));
  ASSERT_NE(kind, nullptr);
  struct Row {
    std::string name;
    std::string reason;
    std::string spec;
    std::vector<std::string> faults;
  };
  const std::vector<Row> rows = {
      {"holds", "nothing to say", "{min: 1, max: 2}", {}},
      {"fails", "the rule's place and message", "{min: 3, max: 2}", {"spec Invalid value: \"object\": too small"}},
      {"wrong type",
       "rules read what the schema promises",
       "{min: x, max: 2}",
       {"spec.min Invalid value: ",
        "<nil> Invalid value: null: some validation rules were not checked because the object was invalid; correct the "
        "existing errors to complete validation"}},
  };
  for (const auto& row : rows) {
    meta::FieldErrors errors;
    validate_object(request(kind), yaml("{metadata: {name: a}, spec: " + row.spec + "}"), nullptr, errors);
    ASSERT_EQ(errors.size(), row.faults.size()) << row.name;
    for (size_t i = 0; i < row.faults.size(); ++i) {
      const auto got = errors.causes()[i].field + " " + errors.causes()[i].message;
      EXPECT_EQ(got.substr(0, row.faults[i].size()), row.faults[i]) << row.name << ": " << row.reason;
    }
  }
}

TEST(ConvertToStored, KeepsWhatTheStoredVersionKnowsAndFillsInItsDefaults) {
  const auto kind = testing::new_widgets();
  const auto written = yaml("{metadata: {name: a, labels: {x: y}}, spec: {color: red, extra: 1}}");
  Version other;
  auto object = written;
  ASSERT_TRUE(convert_to_stored(*kind, other, object).ok());
  EXPECT_EQ(object, written) << "a built-in kind knows the same in all versions";

  kind->crd_uid = "of a custom resource";
  ASSERT_TRUE(convert_to_stored(*kind, kind->storage_version(), object).ok());
  EXPECT_EQ(object, written) << "nothing to convert";
  ASSERT_TRUE(convert_to_stored(*kind, other, object).ok());
  EXPECT_EQ(json::write(object),
            testing::canonical("{metadata: {name: a, labels: {x: y}}, spec: {color: red, size: 1}}"));
}

}  // namespace
}  // namespace chandler::registry
