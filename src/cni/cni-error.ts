/** The errors that the CNI specification lets a plugin answer with. */

/** What is wrong, by number: up to 99 as the specification numbers it, from 100 on as this plugin does. */
export const errorCodes = {
  incompatibleVersion: 1,
  unsupportedField: 2,
  unknownContainer: 3,
  invalidEnvironment: 4,
  ioFailure: 5,
  undecodable: 6,
  invalidConfiguration: 7,
  tryAgainLater: 11,
  /** What nobody thought of: a defect of the plugin. */
  unexpected: 100,
  /** A newer ADD has taken the interface's name over. */
  superseded: 101,
  /** The kernel refused. */
  network: 102,
  /** The address has a route over another interface. */
  routeElsewhere: 103,
  /** CHECK: something is not as ADD left it. */
  notAsAdded: 104,
  /** The plugin for addresses answered with something that is no result. */
  addressPlugin: 105,
} as const;

/** An error for the runtime. Its message says what is wrong and what to do. */
export class CniError extends Error {
  override name = 'CniError';
  readonly code: number;
  readonly details: string;

  constructor(code: number, message: string, details = '') {
    super(message);
    this.code = code;
    this.details = details;
  }
}
