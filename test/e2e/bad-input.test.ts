/** What a user can get wrong on the command line. */
import { describe, expect, test } from 'vitest';
import { main, run } from './command.ts';

describe('bad input is told with its place and the way out, and ends with 2', () => {
  test.each([
    [
      'unknown design',
      ['check', 'felx-3.29'],
      /^error: design 'felx-3\.29': .* Did you mean 'felix-3\.29'\?/,
    ],
    [
      'unknown design that is like none',
      ['check', 'mine'],
      /^error: design 'mine': there is no such design\. 'routeproof list' names them all\.\n?$/,
    ],
    ['unknown command', ['chekc'], /Did you mean check\?/],
    ['unknown option that is like none', ['check', '--wibble'], /^error: unknown option '--wibble'\n?$/],
    [
      'unknown property of fuzz',
      ['fuzz', '--property', 'orphan-remove'],
      /^error: --property 'orphan-remove': .* 'orphan-removed'\?/,
    ],
    [
      'unknown property',
      ['check', '--property', 'route-repair'],
      /^error: --property 'route-repair': .* 'route-repaired'\?/,
    ],
    ['unknown fault', ['check', '--fault', 'halfopen'], /^error: --fault 'halfopen': .* 'half-open'\?/],
    ['none with others', ['check', '--fault', 'none', '--fault', 'half-open'], /^error: --fault none: /],
    ['unknown parameter', ['check', '--param', 'grase=3'], /^error: --param 'grase': .* 'grace'\?/],
    [
      'parameter below its range',
      ['check', '--param', 'grace=0.5'],
      /grace=0\.5: expected a number of seconds from 1 to 86400/,
    ],
    ['parameter above its range', ['check', '--param', 'grace=86401'], /from 1 to 86400/],
    ['parameter that is no number', ['check', '--param', 'grace=long'], /from 1 to 86400/],
    ['parameter without a value', ['check', '--param', 'grace'], /expected name=seconds/],
    [
      'no endpoints',
      ['check', '--endpoints', '0'],
      /^error: --endpoints 0: expected a whole number, 1 or more/,
    ],
    ['fewer than none', ['check', '--endpoints=-1'], /^error: --endpoints -1: /],
    ['too many', ['fuzz', '-n', '1001'], /^error: --endpoints 1001: .* 1 or more and 1,000 or less/],
    ['endpoints that are no number', ['check', '--endpoints', 'two'], /^error: --endpoints two: /],
    ['no states', ['check', '--max-states', '0'], /^error: --max-states 0: /],
    ['unknown format', ['check', '--format', 'xml'], /Allowed choices are pretty, json/],
    ['unknown option', ['check', '--propertie', 'x'], /Did you mean --property\?/],
    ['unknown machine', ['diagram', 'watchr'], /^error: machine 'watchr': .* Did you mean 'watcher'\?/],
    [
      'trace directory in the way of a file',
      ['check', '--trace-dir', main],
      /^error: --trace-dir .*: traces cannot be written/,
    ],
    [
      'trace directory that cannot be made',
      ['check', '--trace-dir', '/proc/routeproof'],
      /^error: --trace-dir \/proc/,
    ],
    [
      'drawing that cannot be written',
      ['diagram', 'link', '-o', '/proc/link.svg'],
      /^error: \/proc\/link\.svg: .*cannot be written/,
    ],
    [
      'trace file that is not there',
      ['replay', 'nowhere.itf.json'],
      /^error: nowhere\.itf\.json: it cannot be read/,
    ],
  ])('%s', async (_name, args, message) => {
    const { exitCode, stdout, stderr } = await run(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});
