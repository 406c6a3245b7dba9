/**
 * samples → samples_7 (tenant number 7) → samples_7_20261121 (a day, UTC) and samples_7_rest (every other time).
 * samples_other is divided in the same way.
 */
import type pg from 'pg'

export const formerTables = ['samples', 'samples_other'] as const
export type FormerTable = (typeof formerTables)[number]

export interface FormerPartition {
  name: string
  table: FormerTable
  tenantNumber: number
}

/** Lists partitions that hold samples themselves, tenant by tenant. @param tenantNumber absent for all tenants */
export async function listFormerPartitions(
  pool: Pick<pg.Pool, 'query'>,
  tenantNumber?: number,
): Promise<FormerPartition[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_class c
     where c.relnamespace = current_schema()::regnamespace and c.relispartition and c.relkind = 'r' and c.relname ~ $1
     order by 1`,
    [`^(${formerTables.join('|')})_${tenantNumber ?? '\\d+'}_(\\d{8}|rest)$`],
  )
  return rows.map(({ name }) => {
    const [, table, number] = /^(samples|samples_other)_(\d+)_/.exec(name)!
    return { name, table: table as FormerTable, tenantNumber: Number(number) }
  })
}
