/** An export that was refused. The message says what was found and the way out. */
export class ExportError extends Error {
  /** Always `ExportError`. */
  override name = 'ExportError';
}
