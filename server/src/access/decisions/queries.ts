/** Runs statements, either prepared ones over the pool or inside a transaction. */
import { CompiledQuery, type Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'

interface Statement {
  name: string
  text: string
  values: unknown[]
}

/** `pg.Pool` implements this interface. */
export interface Queries {
  query<R extends object>(statement: Statement): Promise<{ rows: R[] }>
}

/** Runs statements inside a transaction. */
export const queriesIn = (tx: Kysely<Tables>): Queries => ({
  query: ({ text, values }) => tx.executeQuery(CompiledQuery.raw(text, values)),
})
