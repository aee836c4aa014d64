/** The version of this package. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** As `package.json` has it, found by the package's own name so that it works from `dist` too. */
export function version(): string {
  return (require('routeproof/package.json') as { version: string }).version;
}
