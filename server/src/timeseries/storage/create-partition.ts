/**
 * A partition is created as a separate table and then attached. Inserts continue meanwhile, whereas CREATE TABLE …
 * PARTITION OF would block them.
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

/** Creates the tenant's part of the table, with a default partition, so that every sample of the tenant has a partition. */
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
    // Rows leave the default partition by age: they are moved to a day's own partition or deleted.
    await client.query(`create index ${rest}_time on ${rest} (time)`)
    await client.query(`alter table ${table} attach partition ${name} for values in (${tenantNumber})`)
  })

/**
 * Creates the partition of a day; the tenant must have one already. Rows of the day that were stored while the day was
 * too far away are moved here from the default partition.
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
    // Attaching takes this lock anyway. Taking it first prevents inserts of rows of the day after the move.
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
