import {
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type { Tables } from './tables.ts'

/**
 * A database whose statements all go to one connection, without waiting for each other's answers: statements that are
 * executed together take one round trip on a connection of the query pool. Kysely itself sends a statement of a
 * transaction only after the answer to the previous one.
 * @param connection as provided by an executor; its holder releases it
 */
export const pipeline = (connection: DatabaseConnection): Kysely<Tables> =>
  new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createDriver: () => ({
        init: async () => {},
        acquireConnection: async () => connection,
        releaseConnection: async () => {},
        beginTransaction: refuse,
        commitTransaction: refuse,
        rollbackTransaction: refuse,
        destroy: async () => {},
      }),
    },
  })

async function refuse(): Promise<never> {
  throw new Error('statements that do not wait for each other have no transactions of their own')
}
