import type pg from 'pg'

const DELETED_AT_ONCE = 10_000

/**
 * Deletes rows, some in each statement.
 * @param table one without partitions, because a `ctid` is valid within one of them only
 * @param atOnce maximum number of rows of one statement
 */
export async function deleteInParts(
  pool: pg.Pool,
  table: string,
  { condition, values, atOnce = DELETED_AT_ONCE }: { condition: string; values: unknown[]; atOnce?: number },
): Promise<void> {
  for (let deleted = atOnce; deleted === atOnce;) {
    const { rowCount } = await pool.query(
      `delete from ${table} where ctid = any(array(
         select ctid from ${table} where ${condition} limit ${atOnce}))`,
      values,
    )
    deleted = rowCount ?? 0
  }
}
