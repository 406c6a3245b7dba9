/** The embedded PostgreSQL cannot start; the message says why and what to do, and needs no stack. */
export class EmbeddedDatabaseError extends Error {
  override name = 'EmbeddedDatabaseError'
}
