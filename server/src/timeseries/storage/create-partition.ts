/**
 * A partition is made as a table of its own and then attached: that lets inserts go on, which CREATE TABLE …
 * PARTITION OF would not.
 */
import type pg from 'pg'
import {
  dayPartition,
  restPartition,
  type SampleTable,
  startOfDay,
  tenantPartition,
} from './partition-names.ts'
import { withPartitionLock } from './partition-lock.ts'

/** The tenant's part of the table, with a default partition: from now on every sample of the tenant has a place. */
export const createTenantPartition = (
  pool: pg.Pool,
  table: SampleTable,
  tenantNumber: number,
): Promise<void> =>
  withPartitionLock(pool, tenantNumber, async (client) => {
    const name = tenantPartition(table, tenantNumber)
    const rest = restPartition(table, tenantNumber)
    if (await exists(client, name)) return
    await client.query(`create table ${name} (like ${table}) partition by range (time)`)
    await client.query(`create table ${rest} partition of ${name} default`)
    // By age is how rows leave it: for a day's own partition, or for good.
    await client.query(`create index ${rest}_time on ${rest} (time)`)
    await client.query(`alter table ${table} attach partition ${name} for values in (${tenantNumber})`)
  })

/**
 * The partition of a day, where the tenant has one already. Rows of the day that came before it, while the day was too
 * far away, move over from the default partition.
 */
export const createDayPartition = (
  pool: pg.Pool,
  table: SampleTable,
  tenantNumber: number,
  day: number,
): Promise<void> =>
  withPartitionLock(pool, tenantNumber, async (client) => {
    const name = dayPartition(table, tenantNumber, day)
    if (await exists(client, name)) return
    const rest = restPartition(table, tenantNumber)
    const [from, to] = [startOfDay(day), startOfDay(day + 1)]
    // Attaching takes this lock anyway. Taken first, no row of the day can slip in behind the move.
    await client.query(`lock table ${rest} in access exclusive mode`)
    await client.query(`create table ${name} (like ${table})`)
    await client.query(
      `with moved as (delete from ${rest} where time >= $1::timestamptz and time < $2::timestamptz returning *)
       insert into ${name} select * from moved`,
      [from, to],
    )
    const parent = tenantPartition(table, tenantNumber)
    await client.query(
      `alter table ${parent} attach partition ${name} for values from ('${from}') to ('${to}')`,
    )
  })

async function exists(client: pg.PoolClient, name: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [
    name,
  ])
  return rows[0]!.found
}
