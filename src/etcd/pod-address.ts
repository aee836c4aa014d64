/** Which IPv4 addresses a pod can have. */

/** What an address that a pod cannot have is for, by the range that it is in. */
const ranges: readonly (readonly [first: number, last: number, use: string])[] = [
  [0, 0, 'of no host'],
  [127, 127, 'a loopback address'],
  [224, 239, 'a multicast address'],
];

/**
 * What keeps a pod from having an address: it is the node's own, or everybody's (RFC 1122, 3.2.1.3, and RFC 5771). A route
 * for it would take the node's traffic, or do nothing.
 *
 * @param address - well-formed, without a length
 */
export function unfitForPod(address: string): string | undefined {
  if (address === '255.255.255.255') return 'the broadcast address';
  const first = Number(address.split('.', 1)[0]);
  return ranges.find(([from, to]) => from <= first && first <= to)?.[2];
}
