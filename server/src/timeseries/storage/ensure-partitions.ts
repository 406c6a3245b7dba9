/**
 * Every sample needs a partition before it is inserted. Days around today get partitions of their own; all other days
 * share the tenant's default partition. Existing partitions are cached, so that a batch usually needs no query.
 */
import type pg from 'pg'
import { createDayPartition, createTenantPartition } from './create-partition.ts'
import { isLockTimeout } from './partition-lock.ts'
import { dayNumber, type SampleTable } from './partition-names.ts'
import type { SampleBatch } from './sample-batch.ts'

const DAYS_BACK = 400
const DAYS_AHEAD = 2
const RETRY_MS = 10_000

/** Stands for every day without a partition of its own. */
const REST = Number.NEGATIVE_INFINITY

/** Tenant number → day → time (ms) until which its partition is not requested again; `Infinity` once it exists. */
type KnownDays = Map<number, Map<number, number>>
/**
 * The partitions that this node knows to exist. The cache is outdated if another node has dropped a partition; samples
 * of that day then go to the default partition, which does no harm.
 */
export type Partitions = Record<SampleTable, KnownDays>

export const createPartitions = (): Partitions => ({ samples: new Map(), samples_other: new Map() })

export const sampleTable = (value: unknown): SampleTable =>
  typeof value === 'number' ? 'samples' : 'samples_other'

/**
 * Must be called before the transaction that inserts the batch: creating a partition inside it would hold the locks of
 * the partition until the batch is committed.
 * @throws if a tenant has no partition at all and none can be created now (try again)
 */
export async function ensurePartitions(
  pool: pg.Pool,
  partitions: Partitions,
  batch: Pick<SampleBatch, 'tenantNumber' | 'time' | 'value'>,
  nowMs = Date.now(),
): Promise<void> {
  for (const { table, tenantNumber, day } of missing(partitions, batch, nowMs)) {
    await ensureTenant(pool, partitions, table, tenantNumber)
    if (day !== REST) await ensureDay(pool, partitions, { table, tenantNumber, day }, nowMs)
  }
}

interface Place {
  table: SampleTable
  tenantNumber: number
  day: number
}

function missing(
  partitions: Partitions,
  batch: Pick<SampleBatch, 'tenantNumber' | 'time' | 'value'>,
  nowMs: number,
) {
  const places = new Map<string, Place>()
  const today = dayNumber(nowMs)
  for (let index = 0; index < batch.time.length; index++) {
    const table = sampleTable(batch.value[index])
    const tenantNumber = batch.tenantNumber[index]!
    const ownDay = dayNumber(batch.time[index]!)
    const day = ownDay < today - DAYS_BACK || ownDay > today + DAYS_AHEAD ? REST : ownDay
    const restingUntil = partitions[table].get(tenantNumber)?.get(day)
    if (restingUntil !== undefined && restingUntil > nowMs) continue
    places.set(`${table} ${tenantNumber} ${day}`, { table, tenantNumber, day })
  }
  return places.values()
}

async function ensureTenant(pool: pg.Pool, partitions: Partitions, table: SampleTable, tenantNumber: number) {
  if (partitions[table].has(tenantNumber)) return
  await createTenantPartition(pool, table, tenantNumber)
  partitions[table].set(tenantNumber, new Map([[REST, Infinity]]))
}

/** If a long query blocks the new partition, the samples go to the default partition and are moved later. */
async function ensureDay(
  pool: pg.Pool,
  partitions: Partitions,
  { table, tenantNumber, day }: Place,
  nowMs: number,
) {
  const days = partitions[table].get(tenantNumber)!
  try {
    await createDayPartition(pool, table, tenantNumber, day)
    days.set(day, Infinity)
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    days.set(day, nowMs + RETRY_MS)
  }
}
