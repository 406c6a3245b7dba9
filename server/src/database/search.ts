/**
 * Limits a list to rows that contain a text, in any case. Long lists have a trigram index on the columns, if the
 * database has the extension pg_trgm. [docs/api#search]
 */
import { type Expression, sql, type SqlBool } from 'kysely'

/** @param columns of text, such as `a.id`; one of them has to contain the text */
export const contains = (text: string | undefined, columns: readonly string[]): Expression<SqlBool> => {
  if (text === undefined) return sql<SqlBool>`true`
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
  const matches = columns.map((column) => sql`${sql.ref(column)} ilike ${pattern}`)
  return sql<SqlBool>`(${sql.join(matches, sql` or `)})`
}

export const both = (one: Expression<SqlBool>, other: Expression<SqlBool>): Expression<SqlBool> =>
  sql<SqlBool>`(${one} and ${other})`
