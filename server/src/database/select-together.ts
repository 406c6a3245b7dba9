import { type Kysely, type RawBuilder, sql } from 'kysely'
import { executePrepared } from './execute-prepared.ts'
import type { Tables } from './tables.ts'

/**
 * Executes several selects as one prepared statement: for those that find few rows by an index, sending a statement and
 * reading its answer takes longer than PostgreSQL does.
 * @param name as for `executePrepared`
 * @returns the rows of each select, with the types of JSON
 */
export async function selectTogether<Rows extends Record<string, object>>(
  db: Kysely<Tables>,
  name: string,
  selects: { [Key in keyof Rows]: RawBuilder<Rows[Key]> },
): Promise<{ [Key in keyof Rows]: Rows[Key][] }> {
  const columns = Object.entries(selects).map(
    ([key, select]) => sql`(select coalesce(json_agg(one), '[]') from (${select}) one) as ${sql.id(key)}`,
  )
  const { rows } = await executePrepared(
    db,
    name,
    sql<{ [Key in keyof Rows]: Rows[Key][] }>`select ${sql.join(columns)}`,
  )
  return rows[0]!
}
