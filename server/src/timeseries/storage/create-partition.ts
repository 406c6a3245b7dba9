/**
 * A partition is created as a separate table and then attached. Inserts continue meanwhile, whereas CREATE TABLE …
 * PARTITION OF would block them.
 */
import type pg from 'pg'
import {
  afterPartition,
  beforePartition,
  dayPartition,
  END_DAY,
  FIRST_DAY,
  restPartition,
  rowTable,
  startOfDay,
} from './partition-names.ts'
import { withPartitionLock } from './partition-lock.ts'

/** Creates the default partition and those outside of all days, so that every time has a partition. */
export const createWidePartitions = (pool: pg.Pool): Promise<void> =>
  withPartitionLock(pool, async (client) => {
    if (await exists(client, restPartition)) return
    for (const [name, span] of [
      [beforePartition, `for values from (minvalue) to ('${startOfDay(FIRST_DAY)}')`],
      [afterPartition, `for values from ('${startOfDay(END_DAY)}') to (maxvalue)`],
      [restPartition, 'default'],
    ] as const) {
      await client.query(`create table ${name} partition of ${rowTable} ${span}`)
      // Rows leave these partitions by age: they are moved to a day's own partition or deleted.
      await client.query(`create index ${name}_time on ${name} (time)`)
    }
  })

/**
 * Creates the partition of a day; the default partition must exist. Rows of the day that were stored while the day was
 * too far away are moved here from the default partition.
 * @param statementTimeoutMs limits how long the default partition is locked
 */
export const createDayPartition = (pool: pg.Pool, day: number, statementTimeoutMs?: number): Promise<void> =>
  withPartitionLock(
    pool,
    async (client) => {
      const name = dayPartition(day)
      if (await exists(client, name)) return
      const [from, to] = [startOfDay(day), startOfDay(day + 1)]
      // Attaching takes this lock anyway. Taking it first prevents inserts of rows of the day after the move.
      await client.query(`lock table ${restPartition} in access exclusive mode`)
      await client.query(`create table ${name} (like ${rowTable})`)
      await client.query(
        `with moved as (delete from ${restPartition} where time >= $1::timestamptz and time < $2::timestamptz returning *)
       insert into ${name} select * from moved`,
        [from, to],
      )
      await client.query(
        `alter table ${rowTable} attach partition ${name} for values from ('${from}') to ('${to}')`,
      )
    },
    statementTimeoutMs,
  )

async function exists(client: pg.PoolClient, name: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [
    name,
  ])
  return rows[0]!.found
}
