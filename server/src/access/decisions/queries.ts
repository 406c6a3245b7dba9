/** Runs prepared statements: over the pool, where they stay prepared, or inside of a transaction. */
import { CompiledQuery, type Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'

interface Statement {
  name: string
  text: string
  values: unknown[]
}

/** `pg.Pool` is one. */
export interface Queries {
  query<R extends object>(statement: Statement): Promise<{ rows: R[] }>
}

/** Sees what the transaction wrote. */
export const queriesIn = (tx: Kysely<Tables>): Queries => ({
  query: ({ text, values }) => tx.executeQuery(CompiledQuery.raw(text, values)),
})
