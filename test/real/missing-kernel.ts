/** Why tests that need etcd and a network namespace of their own are skipped, for their titles; empty if they are not. */
import { noOwnNamespace } from '../../src/rig/own-namespace.ts';
import { missingEtcd } from './missing-etcd.ts';

const why = missingEtcd === '' ? noOwnNamespace() : undefined;

export const noKernel = why === undefined ? missingEtcd : ` (skipped: ${why})`;
