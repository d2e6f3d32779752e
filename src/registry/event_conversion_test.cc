#include "registry/event_conversion.h"

#include "registry/registry_fixture.h"

namespace chandler::registry {
namespace {

using testing::yaml;

const json::Value& core_event() {
  static const json::Value event = yaml(R"(
apiVersion: v1
kind: Event
metadata: {name: e, namespace: ns, uid: u}
involvedObject: {kind: Pod, name: p, namespace: ns}
related: {kind: Node, name: n}
reason: Started
message: the pod runs
source: {component: kubelet, host: n}
firstTimestamp: "2024-01-01T00:00:00Z"
lastTimestamp: "2024-01-01T01:00:00Z"
eventTime: "2024-01-01T00:00:00.000001Z"
series: {count: 3, lastObservedTime: "2024-01-01T01:00:00.000000Z"}
count: 4
type: Normal
action: Start
reportingComponent: example.com/kubelet
reportingInstance: n-1
)");
  return event;
}

TEST(EventConversion, EveryFieldHasItsPlaceInTheNewForm) {
  EXPECT_EQ(json::write(event_from_core(core_event())), json::write(yaml(R"(
apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: e, namespace: ns, uid: u}
regarding: {kind: Pod, name: p, namespace: ns}
related: {kind: Node, name: n}
reason: Started
note: the pod runs
deprecatedSource: {component: kubelet, host: n}
deprecatedFirstTimestamp: "2024-01-01T00:00:00Z"
deprecatedLastTimestamp: "2024-01-01T01:00:00Z"
eventTime: "2024-01-01T00:00:00.000001Z"
series: {count: 3, lastObservedTime: "2024-01-01T01:00:00.000000Z"}
deprecatedCount: 4
type: Normal
action: Start
reportingController: example.com/kubelet
reportingInstance: n-1
)")));
}

TEST(EventConversion, ThereAndBackChangesNothing) {
  EXPECT_EQ(json::write(event_to_core(event_from_core(core_event()))), json::write(core_event()));
}

TEST(EventConversion, AnEventOfFewFieldsGainsNone) {
  const auto small = yaml("{apiVersion: events.k8s.io/v1, kind: Event, metadata: {name: e}, note: hi}");
  EXPECT_EQ(json::write(event_to_core(small)),
            json::write(yaml("{apiVersion: v1, kind: Event, metadata: {name: e}, message: hi}")));
}

TEST(EventConversion, EmptyTextIsLeftOutOfTheNewForm) {
  const auto event = yaml("{apiVersion: v1, kind: Event, metadata: {name: e}, reportingComponent: '', message: ''}");
  EXPECT_EQ(json::write(event_from_core(event)),
            json::write(yaml("{apiVersion: events.k8s.io/v1, kind: Event, metadata: {name: e}}")));
}

}  // namespace
}  // namespace chandler::registry
