/** The parts of a node by their machines' ids, and what they are called in a system. */
import type { AnyStateMachine } from 'xstate';
import { agentMachine } from './agent.machine.ts';
import { applyMachine } from './apply.machine.ts';
import { cleanupMachine } from './cleanup.machine.ts';
import { cniMachine } from './cni.machine.ts';
import { environmentMachine } from './environment.machine.ts';
import { kernelMachine } from './kernel.machine.ts';
import { linkMachine } from './link.machine.ts';
import { recordMachine } from './record.machine.ts';
import { storeMachine } from './store.machine.ts';
import { watcherMachine } from './watcher.machine.ts';

/** The id of a machine. */
export type MachineId =
  | 'environment'
  | 'store'
  | 'link'
  | 'watcher'
  | 'agent'
  | 'apply'
  | 'record'
  | 'cni'
  | 'kernel'
  | 'cleanup';

/** The machines by id, as a designer wrote them: switches off, delays as in the smallest instance. */
export const machines: Readonly<Record<MachineId, AnyStateMachine>> = {
  environment: environmentMachine,
  store: storeMachine,
  link: linkMachine,
  watcher: watcherMachine,
  agent: agentMachine,
  apply: applyMachine,
  record: recordMachine,
  cni: cniMachine,
  kernel: kernelMachine,
  cleanup: cleanupMachine,
};

/** Names of one endpoint's parts. */
export const partOf = (kind: 'record' | 'cni' | 'kernel' | 'cleanup', endpoint: number): string =>
  `${kind}[${endpoint}]`;

/** The numbers of the endpoints: 1, 2, … */
export const endpointNumbers = (endpoints: number): readonly number[] =>
  Array.from({ length: endpoints }, (_, index) => index + 1);

/** The kinds of parts that each endpoint has, in the order in which traces show them. */
export const kinds = ['record', 'cni', 'kernel', 'cleanup'] as const;

/** The parts that all endpoints share, in that order. */
export const sharedParts = ['environment', 'store', 'link', 'watcher', 'agent', 'apply'] as const;
