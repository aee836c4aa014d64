/** What the user can mend: an unknown name, a value out of range, a file that cannot be read. Ends the command with 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}
