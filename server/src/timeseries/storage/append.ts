/**
 * Inserts samples as arrays, with one statement per table for any number of samples. Numbers have a table of their own,
 * and so has everything else. Duplicates are left out. [docs/telemetry#repeats]
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { sampleTable } from './ensure-partitions.ts'
import type { SampleTable } from './partition-names.ts'
import type { SampleBatch } from './sample-batch.ts'

/**
 * Stores samples none of which is stored yet, and costs a third less than `appendSamples`. Outside a transaction, a batch
 * of numbers is committed by its own statement.
 * @throws if one of the samples is stored already (see `isRepeated`); then nothing is stored
 */
export async function appendNewSamples(db: Kysely<Tables>, batch: SampleBatch): Promise<void> {
  const { numbers, others } = byTable(batch)
  await insertNew(db, 'samples', batch, numbers)
  await insertNew(db, 'samples_other', batch, others)
}

const UNIQUE_VIOLATION = '23505'
export const isRepeated = (error: unknown): boolean => (error as { code?: string }).code === UNIQUE_VIOLATION

export const holdsNumbersOnly = (batch: SampleBatch): boolean =>
  batch.value.every((value) => sampleTable(value) === 'samples')

/**
 * Every sample of the batch needs a partition: see `ensurePartitions`.
 * @returns the indexes of the samples that were not stored, being in the database already or twice in the batch
 */
export async function appendSamples(tx: Kysely<Tables>, batch: SampleBatch): Promise<{ repeats: number[] }> {
  const { numbers, others } = byTable(batch)
  // The tables always come in this order, to avoid a deadlock between two batches with the same samples.
  const repeats = [
    ...(await insertInto(tx, 'samples', batch, numbers)),
    ...(await insertInto(tx, 'samples_other', batch, others)),
  ]
  return { repeats: repeats.toSorted((a, b) => a - b) }
}

function byTable(batch: SampleBatch) {
  const numbers: number[] = []
  const others: number[] = []
  for (const [index, value] of batch.value.entries())
    (sampleTable(value) === 'samples' ? numbers : others).push(index)
  return { numbers, others }
}

/** The rows of a batch, with their columns in the order that `entry` names. */
function entries(table: SampleTable, batch: SampleBatch, indexes: number[]): RawBuilder<unknown> {
  const values = indexes.map((index) => batch.value[index])
  return sql`unnest(${column(batch.tenantNumber, indexes)}::int4[], ${column(batch.seriesNumber, indexes)}::int4[],
    ${column(batch.time, indexes)}::float8[], ${column(batch.messageId, indexes)}::int8[]),
    ${table === 'samples' ? numberColumn(values) : jsonColumn(values)}`
}

async function insertNew(db: Kysely<Tables>, table: SampleTable, batch: SampleBatch, indexes: number[]) {
  if (indexes.length === 0) return
  await sql`insert into ${sql.table(table)} (tenant_number, series_number, time, message_id, value)
    select tenant, series, to_timestamp(ms / 1000)::timestamptz(3), message, value
    from rows from (${entries(table, batch, indexes)}) as entry (tenant, series, ms, message, value)`.execute(
    db,
  )
}

interface Outcome {
  stored: number
  /** Positions in the arrays, from 1. */
  repeats: number[]
}

async function insertInto(tx: Kysely<Tables>, table: SampleTable, batch: SampleBatch, indexes: number[]) {
  if (indexes.length === 0) return []
  const { rows } = await sql<Outcome>`
    with batch as materialized (
      select tenant, series, to_timestamp(ms / 1000)::timestamptz(3) as time, message, value, place
      from rows from (${entries(table, batch, indexes)}) with ordinality as entry (tenant, series, ms, message, value, place)
    ), inserted as (
      insert into ${sql.table(table)} (tenant_number, series_number, time, message_id, value)
      select tenant, series, time, message, value from batch order by tenant, series, time, message
      on conflict do nothing
      returning series_number, time, message_id
    )
    select (select count(*)::int from inserted) as stored, array(
      select place::int from batch b where not exists (
        select from inserted i where i.series_number = b.series and i.time = b.time and i.message_id = b.message)
    ) as repeats`.execute(tx)
  const { stored, repeats } = rows[0]!
  const known = repeats.map((place) => indexes[place - 1]!)
  return stored + known.length === indexes.length
    ? known
    : [...known, ...twice(batch, indexes, new Set(known))]
}

/** pg would check the type of every entry and quote it, which numbers do not need. */
const column = (values: (number | bigint | string)[], indexes: number[]) =>
  `{${indexes.map((index) => values[index]).join(',')}}`
const numberColumn = (values: unknown[]): RawBuilder<unknown> =>
  sql`unnest(${`{${values.join(',')}}`}::float8[])`
const jsonColumn = (values: unknown[]): RawBuilder<unknown> =>
  sql`jsonb_array_elements(${JSON.stringify(values)}::jsonb)`

/** The second and later ones of equal samples. The statement does not tell which of them it stored. */
function twice(batch: SampleBatch, indexes: number[], known: Set<number>): number[] {
  const seen = new Set<string>()
  return indexes.filter((index) => {
    if (known.has(index)) return false
    const key = `${batch.seriesNumber[index]} ${batch.time[index]} ${batch.messageId[index]}`
    if (seen.has(key)) return true
    seen.add(key)
    return false
  })
}
