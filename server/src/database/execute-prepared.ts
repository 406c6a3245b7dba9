import { type Compilable, type Kysely, type QueryResult, type RawBuilder, sql } from 'kysely'
import type { Tables } from './tables.ts'

/** An array parameter whose length the planner does not see. @param type such as `text` */
export const hidden = (values: readonly unknown[], type: string): RawBuilder<unknown> =>
  sql`(select ${values}::${sql.raw(type)}[])::${sql.raw(type)}[]`

interface Statement<R> {
  compile(db: Kysely<Tables>): ReturnType<Compilable<R>['compile']>
}

/**
 * Executes a statement that PostgreSQL parses and plans once for each connection, for hot paths: planning a join takes
 * longer than reading a few rows with it.
 *
 * PostgreSQL plans every execution if it expects fewer rows of the given arrays than of unknown ones. `hidden` makes it
 * expect the same, and keep the plan. A plan that was made while the tables were empty is kept as well: prepare only
 * statements that have one index to choose for each condition.
 * @param name belongs to one text
 */
export function executePrepared<R>(
  db: Kysely<Tables>,
  name: string,
  statement: Statement<R>,
): Promise<QueryResult<R>> {
  const compiled = statement.compile(db)
  // Kysely's driver passes the text to pg as it is, and pg accepts a name with it.
  return db.executeQuery<R>({ ...compiled, sql: { name, text: compiled.sql } as unknown as string })
}
