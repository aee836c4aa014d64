/** In namespaces of its own: a watch over a cable, what half-open does to it, and what a reset does. Prints JSON. */
import { execFileSync } from 'node:child_process';
import { argv } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

/** What was built is loaded, and typed by its sources: the types are looked at before anything is built. */
const built = (/** @type {string} */ file) =>
  import(new URL(`../../dist/src/${file}.js`, import.meta.url).href);
/** @type {typeof import('../../src/etcd/endpoint-writer.ts')} */
const { EndpointWriter } = await built('etcd/endpoint-writer');
/** @type {typeof import('../../src/etcd/etcd-store.ts')} */
const { EtcdStore } = await built('etcd/etcd-store');
/** @type {typeof import('../../src/rig/veth-link.ts')} */
const { startVethLink } = await built('rig/veth-link');

const link = await startVethLink(1);
const options = { prefix: '/p/', dialTimeout: 2000, callTimeout: 5000, requireLeader: false };
const store = new EtcdStore({ ...options, endpoints: link.endpoints });
/** @returns {{ told: string[], listener: import('../../src/etcd/store.ts').WatchListener }} */
const recorder = () => {
  /** @type {string[]} */
  const told = [];
  /** @type {(what: string) => (about: unknown) => void} */
  const tell = (what) => (about) => {
    told.push(`${what} ${about}`);
  };
  const listener = {
    ...{ created: tell('created'), refused: tell('refused'), progressed: tell('progressed') },
    ...{ cancelled: tell('cancelled'), closed: tell('closed') },
    changed: tell('changed'),
  };
  return { told, listener };
};
/**
 * The two ends of each.
 *
 * @type {(namespace: readonly string[], filter: readonly string[]) => string}
 */
const sockets = (namespace, filter) => {
  const [command, ...args] = [...namespace, 'ss', '-Htn', 'state', 'established', ...filter];
  return execFileSync(/** @type {string} */ (command), args, { encoding: 'utf8' })
    .replace(/^\d+\s+\d+\s+/gm, '')
    .trim();
};
/** @type {(ready: () => boolean) => Promise<void>} */
const until = async (ready) => {
  const end = Date.now() + 10_000;
  while (!ready() && Date.now() < end) await sleep(10);
};

try {
  const connection = await store.dial();
  const { revision } = await connection.list();
  const one = recorder();
  connection.watch(revision + 1n, one.listener);
  await until(() => one.told.some((each) => each.startsWith('progressed')));
  const own = ['src', '198.18.0.1'];
  const before = sockets([], own);
  const process = link.cluster.members[0].id;
  await link.halfOpen(argv[2] === 'hastily');
  const heard = one.told.length;
  // What the agent says on it gets no answer, and no RST either.
  const asked = connection.list().then(
    () => 'answered',
    () => 'failed',
  );
  const writer = new EndpointWriter({ ...options, endpoints: link.cluster.endpoints });
  const pod = { namespace: 'default', node: 'n', pod: 'p', interfaceName: 'cali1', containerId: 'c' };
  const written = await writer.write({ ...pod, addresses: ['10.0.0.1/32'] });
  writer.close();
  const answer = await Promise.race([asked, sleep(3000, 'none')]);
  const after = sockets([], own);
  const inside = ['nsenter', '--net', '--target', `${link.cluster.members[0].id}`];
  const peers = sockets(inside, ['src', '198.18.0.10', 'dst', '198.18.0.1']);
  const fresh = await store.dial();
  const level = (await fresh.list()).revision === written;
  const two = recorder();
  fresh.watch(written + 1n, two.listener);
  await until(() => two.told.some((each) => each.startsWith('created')));
  await link.reset();
  await until(() => two.told.some((each) => each.startsWith('closed')));
  const told = one.told.slice(heard);
  const closed = one.told.some((each) => each.startsWith('closed'));
  const anew = process !== link.cluster.members[0].id;
  console.log(
    JSON.stringify({ before, after, answer, peers, told, closed, level, anew, reset: two.told.at(-1) }),
  );
} finally {
  store.close();
  await link.close();
}
