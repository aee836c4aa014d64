import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Builds `dist/` once before the end-to-end tests, which run the command as a user does.
 * The build is incremental, so it costs about a second when nothing changed.
 */
export function setup(): void {
  execFileSync('npm', ['run', 'compile', '--silent'], { cwd: root, stdio: 'inherit' });
}
