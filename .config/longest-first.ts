import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long and are short, so that Vitest, which goes by their size on a fresh machine, would begin them last. */
const longAndShort = /\/test\/real\/replay-kernel\.test\.ts$/;

/** Vitest's own order, in which such a file is the first of its group. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project, moduleId }: TestSpecification): number =>
      2 * project.config.sequence.groupOrder + (longAndShort.test(moduleId) ? 0 : 1);
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
