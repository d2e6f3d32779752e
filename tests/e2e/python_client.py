"""The generated Python client against a running server, found by KUBECONFIG. Prints a line for each part that holds."""

import contextlib
import time

import kubernetes
from kubernetes import client, watch
from kubernetes.client.rest import ApiException

NAMESPACE = "default"


def config_map(name, data=None, **metadata):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, **metadata), data=data)


@contextlib.contextmanager
def refused(status, reason):
    """The block must be refused with this status and reason."""
    try:
        yield
    except ApiException as error:
        assert error.status == status and f'"reason":"{reason}"' in error.body, (error.status, error.body)
    else:
        raise AssertionError(f"expected {status} {reason}, but it was done")


def eventually(condition):
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "gave up waiting"
        time.sleep(0.05)


def gone(read, *arguments):
    try:
        read(*arguments)
    except ApiException as error:
        assert error.status == 404, error
        return True
    return False


def names(listed):
    return [item.metadata.name for item in listed.items]


def create_read_list_and_replace(core):
    made = core.create_namespaced_config_map(NAMESPACE, config_map("a", {"k": "1"}, labels={"set": "crud"}))
    assert made.metadata.uid and made.metadata.creation_timestamp.tzinfo, made.metadata
    with refused(409, "AlreadyExists"):
        core.create_namespaced_config_map(NAMESPACE, config_map("a"))
    assert core.read_namespaced_config_map("a", NAMESPACE).data == {"k": "1"}
    assert names(core.list_namespaced_config_map(NAMESPACE, label_selector="set=crud")) == ["a"]
    assert names(core.list_config_map_for_all_namespaces(field_selector="metadata.name=a")) == ["a"]

    made.data = {"k": "2"}
    changed = core.replace_namespaced_config_map("a", NAMESPACE, made)
    assert int(changed.metadata.resource_version) > int(made.metadata.resource_version)
    with refused(409, "Conflict"):
        core.replace_namespaced_config_map("a", NAMESPACE, made)
    with refused(422, "Invalid"):
        core.create_namespaced_config_map(NAMESPACE, config_map("No Name"))
    with refused(404, "NotFound"):
        core.create_namespaced_config_map("nowhere", config_map("a"))

    dry = core.create_namespaced_config_map(NAMESPACE, config_map("dry"), dry_run="All")
    assert dry.metadata.name == "dry" and gone(core.read_namespaced_config_map, "dry", NAMESPACE)

    core.create_namespaced_secret(NAMESPACE, client.V1Secret(metadata={"name": "s"}, string_data={"k": "v"}))
    assert core.read_namespaced_secret("s", NAMESPACE).data == {"k": "dg=="}


def pages(core):
    for number in range(5):
        core.create_namespaced_config_map(NAMESPACE, config_map(f"page-{number}", labels={"set": "pages"}))
    found, token, rounds = [], None, 0
    while True:
        page = core.list_namespaced_config_map(NAMESPACE, label_selector="set=pages", limit=2, _continue=token)
        found += names(page)
        rounds += 1
        token = page.metadata._continue
        if not token:
            break
        # Not part of the answer: later pages show the state of the first.
        core.create_namespaced_config_map(NAMESPACE, config_map(f"page-9{rounds}", labels={"set": "pages"}))
    assert found == [f"page-{number}" for number in range(5)] and rounds == 3, (found, rounds)
    core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="set=pages")
    assert names(core.list_namespaced_config_map(NAMESPACE, label_selector="set=pages")) == []


def watch_and_resume(core):
    start = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    core.create_namespaced_config_map(NAMESPACE, config_map("w", labels={"set": "watch"}))
    core.patch_namespaced_config_map("w", NAMESPACE, {"data": {"k": "1"}})

    def stream(version, **options):
        return watch.Watch().stream(
            core.list_namespaced_config_map, NAMESPACE, label_selector="set=watch", resource_version=version,
            timeout_seconds=30, **options)

    seen = None
    for event in stream(start):
        assert event["type"] == "ADDED" and event["object"].metadata.name == "w", event
        seen = event["object"].metadata.resource_version
        break
    # The connection is gone; what happens now is seen by the next one, and nothing that was seen before.
    core.delete_namespaced_config_map("w", NAMESPACE)
    types = []
    for event in stream(seen):
        types.append(event["type"])
        if event["type"] == "DELETED":
            assert int(event["object"].metadata.resource_version) > int(seen)
            break
    assert types == ["MODIFIED", "DELETED"], types
    # Watching from now: nothing, until the server ends it in good order.
    now = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    quiet = core.list_namespaced_config_map(
        NAMESPACE, watch=True, resource_version=now, timeout_seconds=1, _preload_content=False)
    assert quiet.read() == b"", "an event out of nothing"


def patches(core, apps):
    core.create_namespaced_config_map(NAMESPACE, config_map("p", {"a": "1", "b": "2"}))
    # A dict is a strategic merge patch for this client, a list a JSON patch.
    patched = core.patch_namespaced_config_map("p", NAMESPACE, {"data": {"a": None, "c": "3"}})
    assert patched.data == {"b": "2", "c": "3"}, patched.data
    patched = core.patch_namespaced_config_map("p", NAMESPACE, [{"op": "move", "from": "/data/c", "path": "/data/d"}])
    assert patched.data == {"b": "2", "d": "3"}, patched.data
    with refused(422, "Invalid"):
        core.patch_namespaced_config_map("p", NAMESPACE, [{"op": "remove", "path": "/data/nothing"}])
    with refused(409, "Conflict"):
        core.patch_namespaced_config_map("p", NAMESPACE, {"metadata": {"resourceVersion": "1"}})

    container = lambda name: client.V1Container(name=name, image=f"registry.example/{name}:1")
    labels = {"app": "p"}
    apps.create_namespaced_deployment(NAMESPACE, client.V1Deployment(
        metadata=client.V1ObjectMeta(name="p"),
        spec=client.V1DeploymentSpec(
            selector=client.V1LabelSelector(match_labels=labels),
            template=client.V1PodTemplateSpec(
                metadata=client.V1ObjectMeta(labels=labels),
                spec=client.V1PodSpec(containers=[container("one"), container("two")])))))
    change = {"spec": {"template": {"spec": {"containers": [{"name": "two", "image": "registry.example/two:2"}]}}}}
    patched = apps.patch_namespaced_deployment("p", NAMESPACE, change)
    images = [part.image for part in patched.spec.template.spec.containers]
    assert sorted(images) == ["registry.example/one:1", "registry.example/two:2"], images
    assert patched.metadata.generation == 2 and patched.spec.replicas == 1, patched.metadata
    status = apps.patch_namespaced_deployment_status("p", NAMESPACE, {"status": {"replicas": 1}, "spec": {"replicas": 9}})
    assert status.status.replicas == 1 and status.spec.replicas == 1 and status.metadata.generation == 2


def custom_objects(extensions, custom):
    schema = client.V1JSONSchemaProps(type="object", properties={
        "spec": client.V1JSONSchemaProps(type="object", required=["size"], properties={
            "size": client.V1JSONSchemaProps(type="integer", minimum=1),
            "colour": client.V1JSONSchemaProps(type="string", default="green")}),
        "status": client.V1JSONSchemaProps(type="object", properties={"ready": client.V1JSONSchemaProps(type="boolean")})})
    extensions.create_custom_resource_definition(client.V1CustomResourceDefinition(
        metadata=client.V1ObjectMeta(name="boats.example.com"),
        spec=client.V1CustomResourceDefinitionSpec(
            group="example.com", scope="Namespaced",
            names=client.V1CustomResourceDefinitionNames(plural="boats", singular="boat", kind="Boat", list_kind="BoatList"),
            versions=[client.V1CustomResourceDefinitionVersion(
                name="v1", served=True, storage=True, schema=client.V1CustomResourceValidation(open_apiv3_schema=schema),
                subresources=client.V1CustomResourceSubresources(status={}))])))

    def established():
        conditions = extensions.read_custom_resource_definition("boats.example.com").status.conditions or []
        return any(one.type == "Established" and one.status == "True" for one in conditions)

    eventually(established)
    where = ("example.com", "v1", NAMESPACE, "boats")
    boat = {"apiVersion": "example.com/v1", "kind": "Boat", "metadata": {"name": "b"}, "spec": {"size": 3, "sails": 2}}
    made = custom.create_namespaced_custom_object(*where, boat)
    assert made["spec"] == {"size": 3, "colour": "green"} and made["metadata"]["generation"] == 1, made
    with refused(422, "Invalid"):
        custom.create_namespaced_custom_object(*where, {**boat, "metadata": {"name": "c"}, "spec": {"size": 0}})
    changed = custom.patch_namespaced_custom_object(*where, "b", {"spec": {"colour": "red"}})
    assert changed["spec"] == {"size": 3, "colour": "red"} and changed["metadata"]["generation"] == 2, changed
    status = custom.patch_namespaced_custom_object_status(*where, "b", {"status": {"ready": True}, "spec": {"size": 9}})
    assert status["status"] == {"ready": True} and status["spec"]["size"] == 3, status
    listed = custom.list_namespaced_custom_object(*where)
    assert listed["kind"] == "BoatList" and [one["metadata"]["name"] for one in listed["items"]] == ["b"], listed
    extensions.delete_custom_resource_definition("boats.example.com")
    eventually(lambda: gone(extensions.read_custom_resource_definition, "boats.example.com"))
    with refused_plainly(404):
        custom.list_namespaced_custom_object(*where)


@contextlib.contextmanager
def refused_plainly(status):
    """Refused with this status; the body may be plain text."""
    try:
        yield
    except ApiException as error:
        assert error.status == status, error
    else:
        raise AssertionError(f"expected {status}, but it was done")


def finalizers_and_preconditions(core):
    made = core.create_namespaced_config_map(NAMESPACE, config_map("f", finalizers=["example.com/hold"]))
    with refused(409, "Conflict"):
        core.delete_namespaced_config_map(
            "f", NAMESPACE, body=client.V1DeleteOptions(preconditions=client.V1Preconditions(uid="another")))
    core.delete_namespaced_config_map(
        "f", NAMESPACE, body=client.V1DeleteOptions(preconditions=client.V1Preconditions(uid=made.metadata.uid)))
    held = core.read_namespaced_config_map("f", NAMESPACE)
    assert held.metadata.deletion_timestamp and held.metadata.finalizers == ["example.com/hold"], held.metadata
    with refused(422, "Invalid"):
        core.patch_namespaced_config_map("f", NAMESPACE, {"metadata": {"finalizers": ["example.com/other"]}})
    core.patch_namespaced_config_map("f", NAMESPACE, [{"op": "remove", "path": "/metadata/finalizers"}])
    assert gone(core.read_namespaced_config_map, "f", NAMESPACE)


def owners(core):
    def owned_by(owner, name):
        reference = client.V1OwnerReference(
            api_version="v1", kind="ConfigMap", name=owner.metadata.name, uid=owner.metadata.uid, block_owner_deletion=True)
        return core.create_namespaced_config_map(NAMESPACE, config_map(name, owner_references=[reference]))

    for policy in ("Background", "Foreground"):
        owned_by(core.create_namespaced_config_map(NAMESPACE, config_map("owner")), "owned")
        core.delete_namespaced_config_map("owner", NAMESPACE, propagation_policy=policy)
        eventually(lambda: gone(core.read_namespaced_config_map, "owned", NAMESPACE))
        eventually(lambda: gone(core.read_namespaced_config_map, "owner", NAMESPACE))
    owned_by(core.create_namespaced_config_map(NAMESPACE, config_map("owner")), "kept")
    core.delete_namespaced_config_map("owner", NAMESPACE, propagation_policy="Orphan")
    eventually(lambda: gone(core.read_namespaced_config_map, "owner", NAMESPACE))
    assert core.read_namespaced_config_map("kept", NAMESPACE).metadata.owner_references is None


def dynamic_client(api):
    dynamic = kubernetes.dynamic.DynamicClient(api)
    instances = dynamic.resources.get(api_version="servicecatalog.k8s.io/v1beta1", kind="ServiceInstance")
    body = {
        "apiVersion": "servicecatalog.k8s.io/v1beta1", "kind": "ServiceInstance", "metadata": {"name": "db"},
        "spec": {"serviceType": "mysql", "parameters": {"deep": [{"a": 1.5}, None, "x"]}}}
    instances.create(body=body, namespace=NAMESPACE)
    read = instances.get(name="db", namespace=NAMESPACE).to_dict()
    assert read["spec"]["parameters"] == {"deep": [{"a": 1.5}, None, "x"]}, read["spec"]
    patch = {"spec": {"parameters": {"deep": None, "size": 2}}}
    changed = instances.patch(
        name="db", namespace=NAMESPACE, body=patch, content_type="application/merge-patch+json").to_dict()
    assert changed["spec"]["parameters"] == {"size": 2}, changed["spec"]
    assert [one.metadata.name for one in instances.get(namespace=NAMESPACE).items] == ["db"]


def tokens_and_reviews(core, authentication, authorization):
    core.create_namespaced_service_account(NAMESPACE, client.V1ServiceAccount(metadata={"name": "robot"}))
    request = client.AuthenticationV1TokenRequest(spec=client.V1TokenRequestSpec(audiences=[]))
    token = core.create_namespaced_service_account_token("robot", NAMESPACE, request).status.token
    review = authentication.create_token_review(client.V1TokenReview(spec=client.V1TokenReviewSpec(token=token)))
    user = review.status.user.username
    assert review.status.authenticated and user == "system:serviceaccount:default:robot", review.status
    asked = client.V1ResourceAttributes(namespace=NAMESPACE, verb="get", resource="secrets")
    answer = authorization.create_subject_access_review(client.V1SubjectAccessReview(
        spec=client.V1SubjectAccessReviewSpec(user=user, resource_attributes=asked)))
    assert answer.status.allowed is False, answer.status
    answer = authorization.create_self_subject_access_review(client.V1SelfSubjectAccessReview(
        spec=client.V1SelfSubjectAccessReviewSpec(resource_attributes=asked)))
    assert answer.status.allowed is True, answer.status


def main():
    kubernetes.config.load_kube_config()
    core, apps = client.CoreV1Api(), client.AppsV1Api()
    parts = [
        (create_read_list_and_replace, core),
        (pages, core),
        (watch_and_resume, core),
        (patches, core, apps),
        (custom_objects, client.ApiextensionsV1Api(), client.CustomObjectsApi()),
        (finalizers_and_preconditions, core),
        (owners, core),
        (dynamic_client, client.ApiClient()),
        (tokens_and_reviews, core, client.AuthenticationV1Api(), client.AuthorizationV1Api()),
    ]
    for part, *apis in parts:
        part(*apis)
        name = part.__name__.replace("_", " ").replace("create read list", "create, read, list")
        print(f"ok {name}", flush=True)


if __name__ == "__main__":
    main()
