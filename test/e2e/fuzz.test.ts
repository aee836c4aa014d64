import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directory, root, run } from './command.ts';

async function place(name: string): Promise<string> {
  const path = join(directory, name);
  await mkdir(path);
  return path;
}

describe('fuzz', () => {
  it('finds the story of the report, shrinks it, and replays it from seed and path and from its file', async () => {
    const cwd = await place('fuzz-story');
    // What check has written beside it stays as it is.
    const checked = join(cwd, 'felix-3.0.1.no-known-route-deleted.itf.json');
    await writeFile(checked, 'a shortest run');
    const { stdout, exitCode } = await run([
      ...['fuzz', 'felix-3.0.1', '-n', '1', '--property', 'no-known-route-deleted'],
      ...['--runs', '500', '--seed', '1', '--trace-dir', cwd],
    ]);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /violated in run \d+, shrunk from \d+ to 1\d steps, (as short as can be|\d more than)/,
    );
    expect(stdout).toMatch(/states +[\d,]+ of [\d,]+ visited/);
    expect(stdout).toContain('no-known-route-deleted: a shrunk run,');
    expect(stdout).toContain('felix-3.0.1: 1 violated');

    const again = /shrink it again: routeproof (.*)/.exec(stdout)?.[1]?.split(' ') ?? [];
    const elsewhere = await place('fuzz-story-again');
    const repeated = await run([...again, '--format', 'json', '--trace-dir', elsewhere]);
    expect(repeated.exitCode).toBe(1);
    const [report] = JSON.parse(repeated.stdout).reports;
    const steps = Number(/shrunk from \d+ to (\d+) steps/.exec(stdout)?.[1]);
    expect(report.properties[0].violation.trace.picks).toHaveLength(steps);

    const file = join(cwd, 'felix-3.0.1.no-known-route-deleted.fuzz.itf.json');
    const told = await run(again);
    // A path is followed: nothing is shrunk, and it is no run of a campaign.
    expect(told.stdout).toContain(`violated by the run that the path leads to, ${steps} steps`);
    expect(told.stdout).toContain('no-known-route-deleted: the run that the path leads to,');
    expect(told.stdout).not.toMatch(/shr[iu]nk|in run/);
    // Nothing was counted, so nothing is said of steps.
    expect(told.stdout).not.toContain('made by the running actors');
    const written = join(elsewhere, 'felix-3.0.1.no-known-route-deleted.fuzz.itf.json');
    expect(await readFile(written, 'utf8')).toBe(await readFile(file, 'utf8'));
    const replayed = await run(['replay', file]);
    expect({ exitCode: replayed.exitCode, stderr: replayed.stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(replayed.stdout).toContain('reproduced');
    expect(await readFile(checked, 'utf8')).toBe('a shortest run');
  });

  it.each([60, 80])('keeps its lines within %i columns, but for commands and tables', async (columns) => {
    const judged = ['no-known-route-deleted', 'staleness-detected', 'fail-static'];
    const { stdout, exitCode } = await run(
      [
        ...['fuzz', 'felix-3.0.1', '-n', '2', '--runs', '20', '--steps', '100'],
        ...['--seed', '1', '--shard', '1/1', '--no-compare'],
        ...judged.flatMap((id) => ['--property', id]),
      ],
      { env: { COLUMNS: String(columns) } },
    );
    expect(exitCode).toBe(1);
    const report = stdout.slice(0, stdout.indexOf(': a shrunk run'));
    const lines = report.split('\n').filter((line) => !/^ +shrink it again: /.test(line));
    const table = (line: string): boolean => columns < 80 && /^ {2}[a-z-]+ +(\d|struck)/.test(line);
    expect(lines.filter((line) => line.length > columns && !table(line))).toEqual([]);
    // Nothing is lost where a verdict goes on in the next line.
    expect(report.replace(/\s+/g, ' ')).toMatch(
      /✗ no-known-route-deleted violated in run \d+, shrunk from \d+ to 11 steps shrink it again/,
    );
  });

  it('says of what held that it held, and never that it is proved', async () => {
    const { stdout, exitCode } = await run([
      'fuzz',
      '--runs',
      '5',
      '--steps',
      '30',
      '--seed',
      '1',
      '-n',
      '2',
    ]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('no-known-route-deleted  held in 5 runs');
    expect(stdout).toContain('fenced: 8 held in 5 runs');
    expect(stdout).not.toContain('proved');
  });

  it('says of an empty cell of the matrix whether it can be, phase by phase, and what its signs mean', async () => {
    const args = ['fuzz', 'fenced', '-n', '2', '--runs', '2', '--steps', '30', '--seed', '1'];
    const told = (text: string, title: string): string =>
      new RegExp(`  never struck${title}\\n((?:    .*\\n)+)`).exec(text)?.[1] ?? '';
    /** What a report names of the cells whose sign is this, against the matrix that it shows. */
    const expectNamed = (text: string, sign: string, title: string): void => {
      const [head = '', ...rows] =
        /^ {2}fault +struck.*\n(?: {2}[a-z-]+ +[\d,]+ .*\n)+/m.exec(text)?.[0].trimEnd().split('\n') ?? [];
      const [, , ...phases] = head.trim().split(/ +/);
      const cells = rows.flatMap((row) => {
        const [fault, , ...signs] = row.trim().split(/ +/);
        return signs.flatMap((each, place) => (each === sign ? [`${fault} ${phases[place]}`] : []));
      });
      expect(rows).toHaveLength(18);
      expect(cells).not.toEqual([]);
      const faults = rows.map((row) => row.trim().split(/ +/)[0]);
      const lines = told(text, title)
        .replace(/\n {6}/g, ' ')
        .trimEnd()
        .split('\n');
      const named = lines.flatMap((line) => {
        const [, phase, list = ''] = /^ {4}during (\S+): (.*)$/.exec(line) ?? [];
        return (list === 'every fault' ? faults : list.split(', ')).map((fault) => `${fault} ${phase}`);
      });
      expect(named.sort()).toEqual(cells.sort());
      expect(lines.length).toBeLessThanOrEqual(phases.length);
    };
    const { stdout } = await run(args);
    expect(stdout).toContain('gap: it never struck there, and it can');
    expect(stdout).toContain('0: it never struck there, and with one endpoint it cannot.');
    expectNamed(stdout, 'gap', ', reachable with one endpoint: a gap of this campaign');
    expectNamed(stdout, '0', ', cannot be with one endpoint');
    expect(told(stdout, ', reachable with one endpoint: .*')).toMatch(/during stale: .*compaction/);
    expect(told(stdout, ', cannot be with one endpoint')).toMatch(/during watching: .*list-failed/);
    const alone = await run([...args, '--no-compare']);
    expect(alone.stdout).toContain('  0: it never struck there.\n');
    expectNamed(alone.stdout, '0', '');
    expect(alone.stdout).not.toMatch(/with one endpoint|gap/);
    const one = await run(['fuzz', 'fenced', '-n', '1', '--runs', '2', '--steps', '30', '--seed', '1']);
    expect(one.stdout).toContain('–: it cannot, since no reachable state offers it.');
    expectNamed(one.stdout, 'gap', ', reachable: a gap of this campaign');
  });

  it('runs in shards that merge, and goes on where it ended', async () => {
    const cwd = await place('fuzz-shards');
    const common = ['fuzz', 'fenced', '-n', '2', '--steps', '30', '--seed', '5', '--format', 'json'];
    const file = (name: string): string => join(cwd, name);
    const part = async (shard: string): Promise<string> => {
      const output = file(`${shard.replace('/', '-')}.json`);
      const { exitCode } = await run([...common, '--runs', '8', '--shard', shard, '-o', output]);
      expect(exitCode).toBe(0);
      return output;
    };
    const parts = [await part('1/2'), await part('2/2')];
    const alone = await run(['merge', parts[1] as string, '--format', 'json']);
    expect(alone.exitCode).toBe(3);
    expect(alone.stderr).toContain('of 2 shards 1 is missing');
    const merged = await run(['merge', ...parts, '--format', 'json']);
    expect(merged.exitCode).toBe(0);

    const first = file('first.json');
    await run([...common, '--runs', '3', '-o', first]);
    const resumed = await run(['fuzz', '--resume', first, '--runs', '8', '--format', 'json']);
    expect(resumed.exitCode).toBe(0);
    expect(JSON.parse(await readFile(first, 'utf8'))).toEqual(JSON.parse(resumed.stdout));

    const whole = await run([...common, '--runs', '8']);
    expect(JSON.parse(resumed.stdout)).toEqual(JSON.parse(whole.stdout));
    const shardless = (text: string): unknown => {
      const campaign = JSON.parse(text);
      for (const report of campaign.reports) report.shards = [];
      return campaign;
    };
    expect(shardless(merged.stdout)).toEqual(shardless(whole.stdout));
  });

  it.each([
    [['fuzz', '--shard', '3/2'], '--shard 3/2: expected i/n with i from 1 to n'],
    [['fuzz', '--shard', '1/4'], '--shard 1/4: it needs --seed. Give all shards the same'],
    [['fuzz', '--seed', 'x'], '--seed x: expected a whole number that fits into 32 bits'],
    [['fuzz', '--runs', '0'], '--runs 0: expected a whole number, 1 or more'],
    [['fuzz', '--path', '0'], '--path: it needs --seed and exactly one --property'],
    [['fuzz', 'fence'], "design 'fence': there is no such design"],
    [['fuzz', '--resume', 'nowhere.json'], 'nowhere.json: the file cannot be read'],
    [['merge', join(root, 'package.json')], 'package.json: it is no campaign of routeproof'],
    [['merge'], "missing required argument 'file'"],
  ])('refuses %j', async (args, message) => {
    const { exitCode, stderr, stdout } = await run(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('refuses a seed and path that lead nowhere', async () => {
    const { exitCode, stderr } = await run([
      ...['fuzz', 'fenced', '-n', '1', '--property', 'fail-static', '--seed', '1', '--path', '0'],
    ]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("--path 0: the run with seed 1 and path 0 does not violate 'fail-static'");
  });

  it('refuses to merge what does not belong together', async () => {
    const cwd = await place('fuzz-strangers');
    const [a, b, c] = ['a.json', 'b.json', 'c.json'].map((name) => join(cwd, name)) as [
      string,
      string,
      string,
    ];
    const common = ['fuzz', '-n', '1', '--runs', '2', '--steps', '10', '--shard', '1/2', '--no-compare'];
    await run([...common, '--seed', '1', '-o', a]);
    await run([...common, '--seed', '2', '-o', b]);
    const changed = (change: (campaign: ReturnType<typeof JSON.parse>) => void): Promise<void> => {
      const campaign = JSON.parse(text);
      change(campaign);
      return writeFile(c, JSON.stringify(campaign));
    };
    const text = await readFile(a, 'utf8');
    const refusal = async (): Promise<string> => {
      const { stderr, exitCode } = await run(['merge', a, c]);
      expect(exitCode).toBe(2);
      return stderr;
    };
    await changed((campaign) => {
      campaign.reports[0].shards[0].done = 2;
    });
    expect(await refusal()).toContain('c.json: shard 1/2 of 2 runs cannot have made 2; it has 1.');
    await changed((campaign) => {
      campaign.reports[0].properties[0].held = 0;
    });
    expect(await refusal()).toMatch(
      /c\.json: '[a-z-]+' held in 0 of 1 runs; expected 1, since nothing violated it/,
    );
    await changed((campaign) => campaign.reports.pop());
    expect(await refusal()).toContain('c.json: its systems and properties are');
    await changed((campaign) => {
      campaign.reports[0].drawing = '0123456789ab';
    });
    expect(await refusal()).toContain('c.json: its walks were drawn otherwise than this version draws them');
    const violated = (change: object, path = '0') =>
      changed(({ reports: [report] }) => {
        const picks = [{ kind: 'choice', id: 'connection.opened' }];
        const trace = { system: report.system, property: 'fail-static', picks, ...change };
        report.properties[3].violation = { run: 0, seed: 1, path, foundLength: 1, trace };
      });
    const none = "c.json: its violation of 'fail-static' is none: ";
    await violated({});
    expect(await refusal()).toContain(`${none}the run does not violate it`);
    await violated({ system: 'x' });
    expect(await refusal()).toContain(`${none}it is of 'fail-static' in x, 1 steps`);
    await violated({ property: 'route-repaired' });
    expect(await refusal()).toContain(`${none}it is of 'route-repaired' in fenced`);
    await violated({ loop: 2 });
    expect(await refusal()).toContain(', 1 steps, of which those from 2 on repeat');
    await violated({}, '0:\u001b[31m');
    expect(await refusal()).toContain('c.json');
    await changed((campaign) => {
      campaign.endpoints = 1_000_000;
    });
    expect(await refusal()).toContain('c.json: it is no campaign of routeproof.');
    await changed((campaign) => {
      campaign.routeproof = 'another';
    });
    expect((await run(['merge', a, a])).stderr).toContain('shard 1/2 is there twice');
    expect((await run(['merge', a, b])).stderr).toContain(
      'seed is 1 in one and 2 in another. All shards of a campaign have the same --seed',
    );
    expect((await run(['merge', a, c])).stderr).toContain('c.json: it is not of the same campaign');
    expect((await run(['fuzz', 'watchdog', '--resume', a])).stderr).toContain(
      "a campaign of 'fenced', not of 'watchdog'",
    );
  });
});
