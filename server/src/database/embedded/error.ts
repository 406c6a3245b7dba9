/** The embedded PostgreSQL cannot start. The message says why and what to do; no stack is needed. */
export class EmbeddedDatabaseError extends Error {
  override name = 'EmbeddedDatabaseError'
}
