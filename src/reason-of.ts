/** What an error says: anything can be thrown. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
