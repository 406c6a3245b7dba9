/** Reads one page of a list by its sort key. */
import { type SelectQueryBuilder, sql, type StringReference } from 'kysely'
import type { PageRequest } from '../http/page.ts'

/**
 * Reads the rows that follow the page's cursor, ordered by the column.
 * @param column unique among the rows of the query; otherwise rows are lost between two pages
 * @returns one row more than the page's limit if there are more rows
 */
export const pageAfter = <DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  column: StringReference<DB, TB>,
  { limit, after }: PageRequest,
  direction: 'asc' | 'desc' = 'asc',
) =>
  query
    .$if(after !== undefined, (q) =>
      q.where(sql.ref<string>(column), direction === 'asc' ? '>' : '<', after!),
    )
    .orderBy(sql.ref(column), direction)
    .limit(limit + 1)
    .execute()
