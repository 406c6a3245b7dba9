import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { appendRows, orderRows } from '../timeseries/storage/append.ts'
import { ensureSeries } from '../timeseries/storage/ensure-series.ts'
import { findFormerRows, hasFormerSamples } from '../timeseries/storage/former/find-former.ts'
import { raiseLastHours } from '../timeseries/storage/last-hours.ts'
import { mergeRows } from '../timeseries/storage/merge-rows.ts'
import { dropPackedValues } from '../timeseries/storage/packed/drop-packed-values.ts'
import { ensurePartitions } from '../timeseries/storage/row-tables.ts'
import type { StoreContext } from './batch.ts'
import { createDeadLetter, REPEAT_WINDOW_MS } from './dead-letters/store.ts'
import type { DeadLetter, DeviceMessage } from './message.ts'
import { type Observed, observeSamples } from './observed-samples.ts'
import { countSamples, findRows, isOfClient, needsRow, type ProjectedRow } from './projected-rows.ts'
import { joinValues, listJoining, possibleSamples } from './projection/join.ts'
import { type Projected, listSamples } from './projection/projected.ts'
import type { Samples } from './samples.ts'
import { UnreadableError } from './unreadable.ts'

type StorageContext = Pick<StoreContext, 'db' | 'pool' | 'config' | 'series' | 'rowTables'>

export interface Prepared {
  /** What is to be stored. */
  projected: Projected[]
  /** Where no values are joined, the rows of all of it. */
  rows: ProjectedRow[]
  /** Messages of devices that would have too many series. */
  refused: DeadLetter[]
}

/**
 * Creates the series and partitions of all samples that may be stored. It uses a different connection than the
 * transaction, so that they stay even after a rollback, and runs before the transaction reads samples, since creating a
 * partition waits for all readers of the table.
 */
export async function prepareStorage(ctx: StorageContext, projected: Projected[]): Promise<Prepared> {
  const joining = listJoining(projected)
  const known = joining.length === 0 ? findRows(ctx.series, projected) : undefined
  const prepared = known ? { projected, rows: known, refused: [] } : await prepareSeries(ctx, projected)
  await ensurePartitions(ctx.pool, ctx.rowTables, prepared.rows)
  const isAmongFormer = await hasFormerSamples(ctx.pool, ctx.rowTables)
  const remaining = isAmongFormer ? await dropFormer(ctx, prepared) : prepared
  await raiseLastHours(ctx.db, remaining.rows)
  return remaining
}

async function prepareSeries(ctx: StorageContext, all: Projected[]): Promise<Prepared> {
  const needed = [
    ...all.flatMap((one) => one.samples.filter((samples) => needsRow(one, samples))),
    ...possibleSamples(listJoining(all)),
  ]
  const limit = ctx.config.seriesLimit
  const tooMany = await ensureSeries(ctx.db, ctx.series, needed, limit)
  const messages = new Set<DeviceMessage>()
  for (const { measurement, samples } of all)
    if (samples.some((one) => tooMany.has(one))) messages.add(measurement.message)
  const projected = all.filter(({ measurement }) => !messages.has(measurement.message))
  const refused = [...messages].map((message) => createDeadLetter(message, tooManySeries(limit)))
  return { projected, rows: requireRows(ctx, projected), refused }
}

const tooManySeries = (limit: number) =>
  new UnreadableError(
    'too_many_series',
    `A device has up to ${limit} series, and this message would make more. Send fewer names, and keep what varies out of them.`,
  )

function requireRows({ series }: Pick<StoreContext, 'series'>, projected: Projected[]): ProjectedRow[] {
  const rows = findRows(series, projected)
  // The registry is bounded: under load, a series can be evicted between two steps. A retry finds it again.
  if (!rows) throw new Error('a series left the registry while it was needed')
  return rows
}

/** Until all samples of earlier versions are moved, the unique key does not recognize repeats of them. */
async function dropFormer({ db }: StorageContext, prepared: Prepared): Promise<Prepared> {
  const found = await findFormerRows(db, prepared.rows, ({ projected: { measurement } }) =>
    measurement.isTimedByArrival && measurement.message.isRepeat ? REPEAT_WINDOW_MS : 0,
  )
  if (found.size === 0) return prepared
  const repeated = new Set([...found].map(({ projected }) => projected))
  return {
    ...prepared,
    projected: prepared.projected.filter((one) => !repeated.has(one)),
    rows: prepared.rows.filter((row) => !repeated.has(row.projected)),
  }
}

/**
 * Appends samples that are known only within the transaction: joined values, and batches with repeats. Call it after
 * `prepareStorage`.
 * @returns the number of stored samples, and the samples that alarms and push observe
 */
export async function appendProjected(
  ctx: Pick<StoreContext, 'db' | 'series' | 'rowTables' | 'alarms' | 'push'>,
  tx: Kysely<Tables>,
  projected: Projected[],
): Promise<{ count: number; observed: Observed }> {
  const joining = listJoining(projected)
  if (joining.length > 0) await joinValues(tx, joining)
  const rows = requireRows(ctx, projected)
  // On another connection, like all preparations; it has something to do only for joined values.
  await raiseLastHours(ctx.db, rows)
  const stored = await appendMessages(ctx, tx, rows)
  const repeats = new Set<Samples>(rows.filter((row) => !stored.has(row)).flatMap(({ samples }) => samples))
  return { count: countSamples(stored), observed: observeSamples(ctx, listSamples(projected), repeats) }
}

/**
 * Of a message whose row under its client is stored already, nothing is stored under assets either. One that is imported
 * again adds what new bindings make of it. [docs/telemetry#repeats]
 */
async function appendMessages(
  { rowTables }: Pick<StoreContext, 'rowTables'>,
  tx: Kysely<Tables>,
  rows: ProjectedRow[],
): Promise<Set<ProjectedRow>> {
  const ofClients = rows.filter(isOfClient)
  const stored = await appendRows(tx, rowTables, ofClients)
  const repeated = new Set(
    ofClients.filter((row) => !stored.has(row) && !isImported(row)).map((row) => row.projected),
  )
  const ofAssets = rows.filter((row) => !isOfClient(row) && !repeated.has(row.projected))
  for (const row of await appendRows(tx, rowTables, ofAssets)) stored.add(row)
  const importedAgain = [...ofClients, ...ofAssets].filter((row) => !stored.has(row) && isImported(row))
  await mergeRows(tx, rowTables, await dropPackedValues(tx, orderRows(importedAgain)))
  return stored
}

const isImported = ({ projected: { measurement } }: ProjectedRow): boolean =>
  measurement.message.isImported === true
