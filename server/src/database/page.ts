/** One page of a list, read by the key that orders it. */
import { type SelectQueryBuilder, sql, type StringReference } from 'kysely'
import type { PageRequest } from '../http/page.ts'

/**
 * Reads the rows that follow the page's cursor, ordered by the column.
 * @param column unique among the rows of the query, or rows are lost between two pages
 * @returns at most one row more than the page's limit, which says that more follow
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
