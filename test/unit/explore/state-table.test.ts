import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fits, type Layout, layOut } from '../../../src/explore/layout.ts';
import { StateTable } from '../../../src/explore/state-table.ts';

const finish = (work: Iterator<void>): void => {
  while (work.next().done !== true);
};

const sizes = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 12 });

function pack(layout: Layout, locals: readonly number[]): number[] {
  const words = Array.from({ length: layout.words }, () => 0);
  for (const [component, local] of locals.entries()) {
    const word = layout.wordOf[component] as number;
    words[word] = (words[word] as number) | (local << (layout.shiftOf[component] as number));
  }
  return words;
}

function unpack(layout: Layout, words: readonly number[]): number[] {
  return [...layout.wordOf].map(
    (word, component) =>
      ((words[word] as number) >>> (layout.shiftOf[component] as number)) &
      (layout.maskOf[component] as number),
  );
}

describe('a layout', () => {
  it('gives back what was packed, whatever the sizes', () => {
    const withLocals = sizes.chain((each) =>
      fc.tuple(fc.constant(each), fc.tuple(...each.map((size) => fc.nat(size - 1)))),
    );
    fc.assert(
      fc.property(withLocals, ([each, locals]) => {
        const layout = layOut(each);
        expect(fits(layout, each)).toBe(true);
        expect(unpack(layout, pack(layout, locals))).toEqual(locals);
      }),
    );
  });

  it('uses one word for what fits into one, and gives away what is left', () => {
    const layout = layOut([100, 100]);
    expect(layout.words).toBe(1);
    expect(fits(layout, [65_536, 65_536])).toBe(true);
    expect(fits(layout, [65_537, 100])).toBe(false);
  });
});

describe('the table of states', () => {
  const states = fc.integer({ min: 1, max: 4 }).chain((words) =>
    fc.tuple(
      fc.constant(words),
      fc.array(fc.tuple(...Array.from({ length: words }, () => fc.oneof(fc.nat(3), fc.integer()))), {
        minLength: 1,
        maxLength: 200,
      }),
    ),
  );

  it('numbers states in the order in which they come, each once, across batches', () => {
    fc.assert(
      fc.property(states, fc.integer({ min: 1, max: 50 }), ([words, given], size) => {
        const table = new StateTable(words);
        const numbers = new Map<string, number>();
        for (let start = 0; start < given.length; start += size) {
          const batch = given.slice(start, start + size);
          finish(table.reserve(batch.length));
          const all = table.addBatch(
            Int32Array.from(batch.flat()),
            batch.length,
            Int32Array.from(batch, (_, place) => start + place),
            1e6,
          );
          expect(all).toBe(true);
          for (const [place, state] of batch.entries()) {
            const key = state.join(' ');
            if (numbers.has(key)) continue;
            expect(table.parent(numbers.size)).toBe(start + place);
            numbers.set(key, numbers.size);
          }
        }
        expect(table.count).toBe(numbers.size);
        for (const state of given) {
          expect(table.find(Int32Array.from(state), 0)).toBe(numbers.get(state.join(' ')));
        }
        const stranger = Int32Array.from({ length: words }, () => 0x5555_5555);
        expect(table.find(stranger, 0)).toBe(numbers.get([...stranger].join(' ')) ?? -1);
      }),
    );
  });

  it.each([0, 1, 2])('tells states apart that differ in word %i alone', (differing) => {
    const table = new StateTable(3);
    const batch = Array.from({ length: 5000 }, (_, number) => [1, 2, 3].with(differing, number));
    for (const round of [1, 2]) {
      for (let start = 0; start < batch.length; start += 100) {
        finish(table.reserve(100));
        table.addBatch(
          Int32Array.from(batch.slice(start, start + 100).flat()),
          100,
          new Int32Array(100),
          1e6,
        );
        expect(table.count).toBe(round === 1 ? start + 100 : batch.length);
      }
    }
    const numbers = new Int32Array(batch.length);
    table.findBatch(Int32Array.from(batch.flat()), batch.length, numbers);
    expect([...numbers]).toEqual(Array.from(batch.keys()));
    table.findBatch(Int32Array.of(1, 2, 4, 9, 9, 9), 2, numbers);
    expect([...numbers.subarray(0, 2)]).toEqual([differing === 2 ? 4 : -1, -1]);
  });

  it('says when a new state would be one too many, and still knows the old ones', () => {
    const table = new StateTable(1);
    const parents = Int32Array.of(0, 0, 0);
    expect(table.addBatch(Int32Array.of(7, 8, 7), 3, parents, 2)).toBe(true);
    expect(table.addBatch(Int32Array.of(8, 7), 2, parents, 2)).toBe(true);
    expect(table.addBatch(Int32Array.of(8, 9), 2, parents, 2)).toBe(false);
    expect(table.count).toBe(2);
  });

  it('keeps every state, and its number, when it grows and when the layout changes', () => {
    const before = layOut([400, 400]);
    const table = new StateTable(before.words);
    const count = 160_000;
    for (let start = 0; start < count; start += 1000) {
      const batch = Array.from({ length: 1000 }, (_, place) => start + place).flatMap((number) =>
        pack(before, [number % 400, Math.floor(number / 400)]),
      );
      finish(table.reserve(1000));
      table.addBatch(Int32Array.from(batch), 1000, new Int32Array(1000), 1e6);
    }
    expect(table.count).toBe(count);
    const after = layOut([100_000, 100_000]);
    expect(after.words).toBe(2);
    const given = table.repack(before, after, () => expect.unreachable());
    given.next(); // Given up at its first pause: nothing has changed.
    expect(table.find(Int32Array.from(pack(before, [7, 7])), 0)).toBe(2807);
    let packed = 0;
    finish(
      table.repack(before, after, () => {
        packed += 1;
      }),
    );
    expect(packed).toBe(1);
    for (let number = 0; number < count; number += 777) {
      const words = pack(after, [number % 400, Math.floor(number / 400)]);
      expect(table.find(Int32Array.from(words), 0)).toBe(number);
    }
    expect(table.find(Int32Array.from(pack(after, [400, 0])), 0)).toBe(-1);
    expect(table.bytes / count).toBeLessThan(30);
  });
});
