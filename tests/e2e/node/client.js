// The Node client against a running server, found by KUBECONFIG. Prints a line for each part that holds.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as k8s from '@kubernetes/client-node';

const namespace = 'default';
const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const path = `/api/v1/namespaces/${namespace}/configmaps`;

const configMap = (name, data, labels) => ({ metadata: { name, labels }, data });
const create = (name, data, labels) => core.createNamespacedConfigMap({ namespace, body: configMap(name, data, labels) });
const remove = (name) => core.deleteNamespacedConfigMap({ namespace, name });
const refusedWith = (code, reason) => (error) => error.code === code && error.body.includes(`"reason":"${reason}"`);

// The next `count` values that `emit` is called with, or a failure after 30 seconds.
function collector() {
  const values = [];
  const target = new EventTarget();
  const emit = (value) => {
    values.push(value);
    target.dispatchEvent(new Event('value'));
  };
  const take = async (count) => {
    while (values.length < count) await once(target, 'value', { signal: AbortSignal.timeout(30_000) });
    return values.splice(0, count);
  };
  return { emit, take };
}

async function createListAndReplace() {
  const made = await create('a', { k: '1' }, { set: 'crud' });
  assert.ok(made.metadata.creationTimestamp instanceof Date);
  await assert.rejects(create('a'), refusedWith(409, 'AlreadyExists'));
  const listed = await core.listNamespacedConfigMap({ namespace, labelSelector: 'set=crud' });
  assert.deepEqual(listed.items.map((item) => item.metadata.name), ['a']);
  // The client writes times with milliseconds; the same instant is no change.
  const changed = await core.replaceNamespacedConfigMap({ namespace, name: 'a', body: { ...made, data: { k: '2' } } });
  assert.deepEqual(changed.data, { k: '2' });
  await assert.rejects(
    core.replaceNamespacedConfigMap({ namespace, name: 'a', body: made }),
    refusedWith(409, 'Conflict'),
  );
  await remove('a');
  await assert.rejects(core.readNamespacedConfigMap({ namespace, name: 'a' }), refusedWith(404, 'NotFound'));
}

async function threeKindsOfPatch() {
  await create('p', { a: '1', b: '2' });
  const patch = (type, body) =>
    core.patchNamespacedConfigMap({ namespace, name: 'p', body }, k8s.setHeaderOptions('Content-Type', type));
  let patched = await patch(k8s.PatchStrategy.JsonPatch, [{ op: 'replace', path: '/data/a', value: '3' }]);
  assert.deepEqual(patched.data, { a: '3', b: '2' });
  patched = await patch(k8s.PatchStrategy.MergePatch, { data: { a: null } });
  assert.deepEqual(patched.data, { b: '2' });
  patched = await patch(k8s.PatchStrategy.StrategicMergePatch, { data: { $patch: 'replace', c: '4' } });
  assert.deepEqual(patched.data, { c: '4' });
  await assert.rejects(
    patch(k8s.PatchStrategy.JsonPatch, [{ op: 'test', path: '/data/c', value: '5' }]),
    refusedWith(422, 'Invalid'),
  );
}

async function objectsOfAnyKind() {
  const objects = k8s.KubernetesObjectApi.makeApiClient(config);
  const instance = {
    apiVersion: 'servicecatalog.k8s.io/v1beta1',
    kind: 'ServiceInstance',
    metadata: { name: 'db', namespace },
    spec: { serviceType: 'mysql', parameters: { size: 1, tags: ['a', null] } },
  };
  const made = await objects.create(instance);
  assert.deepEqual(made.spec.parameters, instance.spec.parameters);
  const changed = await objects.patch(
    { ...instance, spec: { parameters: { size: 2 } } },
    undefined, undefined, undefined, undefined, k8s.PatchStrategy.MergePatch,
  );
  assert.deepEqual(changed.spec.parameters, { size: 2, tags: ['a', null] });
  const custom = config.makeApiClient(k8s.CustomObjectsApi);
  const place = { group: 'servicecatalog.k8s.io', version: 'v1beta1', namespace, plural: 'serviceinstances' };
  assert.equal((await custom.listNamespacedCustomObject(place)).items[0].metadata.name, 'db');
}

async function watch() {
  const start = (await core.listNamespacedConfigMap({ namespace })).metadata.resourceVersion;
  const events = collector();
  const ends = collector();
  const watcher = new k8s.Watch(config);
  const observe = (resourceVersion, more = {}) =>
    watcher.watch(
      path,
      { resourceVersion, labelSelector: 'set=watch', ...more },
      (type, object) => events.emit([type, object.metadata.name, object.metadata.resourceVersion]),
      ends.emit,
    );
  const request = await observe(start);
  await create('w', {}, { set: 'watch' });
  const [[type, name, seen]] = await events.take(1);
  assert.deepEqual([type, name], ['ADDED', 'w']);
  request.abort();
  await ends.take(1);
  // Resumed: what happened in between is seen once.
  await remove('w');
  await observe(seen, { timeoutSeconds: 1 });
  const [end] = await ends.take(1);
  assert.equal(end, null, 'the server ends a watch in good order');
  const [[last, which]] = await events.take(1);
  assert.deepEqual([last, which], ['DELETED', 'w']);
}

async function informer() {
  await create('first', { n: '1' }, { set: 'informer' });
  const list = () => core.listNamespacedConfigMap({ namespace, labelSelector: 'set=informer' });
  const watched = k8s.makeInformer(config, path, list, 'set=informer');
  const events = collector();
  for (const kind of ['add', 'update', 'delete']) watched.on(kind, (object) => events.emit(`${kind} ${object.metadata.name}`));
  watched.on('error', (error) => events.emit(`error ${error}`));
  await watched.start();
  assert.deepEqual(await events.take(1), ['add first']);
  await create('second', {}, { set: 'informer' });
  await create('other', {}, { set: 'other' });
  await core.patchNamespacedConfigMap({ namespace, name: 'first', body: [{ op: 'replace', path: '/data/n', value: '2' }] });
  await remove('second');
  assert.deepEqual(await events.take(3), ['add second', 'update first', 'delete second']);
  assert.deepEqual(watched.list(namespace).map((object) => object.data.n), ['2']);
  await watched.stop();
}

const parts = {
  'create, list and replace': createListAndReplace,
  'three kinds of patch': threeKindsOfPatch,
  'objects of any kind': objectsOfAnyKind,
  watch,
  informer,
};
for (const [name, part] of Object.entries(parts)) {
  await part();
  console.log(`ok ${name}`);
}
