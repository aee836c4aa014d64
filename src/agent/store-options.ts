/** How a design speaks to the store: what of its switches and numbers the client's library has to do. */
import type { Design, Parameter } from '../../models/index.ts';
import type { StoreOptions } from '../etcd/options.ts';

/** The options that a design decides. Its numbers are taken as seconds. */
export function storeOptionsOf({
  switches,
  parameters,
}: Design): Pick<StoreOptions, 'callTimeout' | 'keepalive' | 'requireLeader' | 'stock'> {
  const milliseconds = (name: Parameter): number => Math.max(1, Math.round(parameters[name] * 1000));
  return {
    callTimeout: milliseconds('callDeadline'),
    ...(switches.includes('sendsKeepalive')
      ? { keepalive: { time: milliseconds('keepaliveTime'), timeout: milliseconds('keepaliveTimeout') } }
      : {}),
    requireLeader: switches.includes('requiresLeader'),
    stock: switches.includes('resumesFromHeader'),
  };
}

/** A design whose numbers are all multiplied, so that a test does not take as long as life does. */
export function scaled(design: Design, factor: number): Design {
  const entries = Object.entries(design.parameters).map(([name, value]) => [name, value * factor]);
  return { ...design, parameters: Object.fromEntries(entries) as Design['parameters'] };
}
