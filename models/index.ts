/**
 * The machines of a node's route reconciler, their composition, and the designs as data.
 *
 * @module
 */
export { agentMachine } from './agent.machine.ts';
export { applyMachine } from './apply.machine.ts';
export { cleanupMachine } from './cleanup.machine.ts';
export { cniMachine, type Relation } from './cni.machine.ts';
export * from './designs.ts';
export { environmentMachine } from './environment.machine.ts';
export { type Fault, type FaultId, faults } from './faults.ts';
export { type Found, kernelMachine } from './kernel.machine.ts';
export { linkMachine } from './link.machine.ts';
export { machinesOf, nodeSystem, ticksOf } from './node.system.ts';
export type { NodeOptions, Observer } from './node-options.ts';
export { endpointNumbers, type MachineId, machines, partOf } from './parts.ts';
export * from './phases.ts';
export { type Content, recordMachine } from './record.machine.ts';
export { storeMachine } from './store.machine.ts';
export { watcherMachine } from './watcher.machine.ts';
