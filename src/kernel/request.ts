/** What can be said of a request without the kernel, so that every kernel says the same of it. */
import { isIPv4 } from 'node:net';
import type { Route, RouteMatch, RouteOutcome } from './kernel.ts';

/** An outcome that needs no kernel, or `undefined`: the kernel must be asked. */
export function judgeAdd(route: Route): RouteOutcome | undefined {
  return judgeDestination(route.destination) ?? judgeProtocol(route.protocol) ?? judgeIndex(route.index);
}

/** An outcome that needs no kernel, or `undefined`: the kernel must be asked. */
export function judgeRemove(match: RouteMatch): RouteOutcome | undefined {
  // To the kernel a delete with protocol 0 is one that says nothing of the protocol: it would delete too much.
  if (match.protocol === 0) return { failed: 'routes of protocol 0 cannot be told from others by a delete' };
  return (
    judgeDestination(match.destination) ??
    (match.protocol === undefined ? undefined : judgeProtocol(match.protocol)) ??
    (match.index === undefined ? undefined : judgeIndex(match.index))
  );
}

/** A CIDR has one spelling, so that two routes are to the same destination if they are spelled the same. */
function judgeDestination(destination: string): RouteOutcome | undefined {
  const [address = '', length = '', ...rest] = destination.split('/');
  if (rest.length > 0 || !isIPv4(address) || !/^(?:[12]?\d|3[0-2])$/.test(length)) {
    return { failed: `${JSON.stringify(destination)} is no IPv4 CIDR such as 10.0.0.1/32` };
  }
  const bits = address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
  if (bits % 2 ** (32 - Number(length)) !== 0) {
    return { failed: `${destination} has bits set to the right of its prefix` };
  }
  return undefined;
}

function judgeProtocol(protocol: number): RouteOutcome | undefined {
  if (Number.isInteger(protocol) && protocol >= 0 && protocol <= 255) return undefined;
  return { failed: `${protocol} is no route protocol: they are 0 to 255` };
}

/** What no index can be is the index of no interface; it must not become another one by losing its upper bits. */
function judgeIndex(index: number): RouteOutcome | undefined {
  return Number.isInteger(index) && index >= 1 && index <= 0x7f_ff_ff_ff ? undefined : 'absent';
}
