import { etcdVersion } from '../../src/rig/etcd-process.ts';

/** Empty if there is an etcd; else a reason to show with the tests that are skipped. */
export const missingEtcd: string =
  (await etcdVersion()) === undefined
    ? ' (skipped: no etcd; install etcd-server, or name one with ETCD_BIN)'
    : '';
