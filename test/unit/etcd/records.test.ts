import type { IKeyValue } from 'etcd3';
import { expect, it } from 'vitest';
import { recordsOf } from '../../../src/etcd/records.ts';

it('keeps keys apart that are no UTF-8, and takes one that is as it is', () => {
  const keys = [[0xff], [0xfe], [0xc3, 0xbf]].map((end) => Buffer.from([...Buffer.from('/p/'), ...end]));
  const pairs = keys.map((key) => ({ key, value: Buffer.from('{}') }) as IKeyValue);
  expect(recordsOf('/p/', pairs).map(({ key }) => key)).toEqual(['/p/\\xff', '/p/\\xfe', '/p/ÿ']);
});
