/** Packs the rows of one day in one partition. */
import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import type { Tables } from '../../../database/tables.ts'
import { isMissing } from '../drop-partition.ts'
import { DAY_MS } from '../partition-names.ts'
import { packBatch } from './pack-batch.ts'
import { type ChangeContext, repeatChanges } from './repeat-changes.ts'
import { isInSpan, type PackLimits, type RowKey, rowKey, type RowSpan } from './row-key.ts'

export interface PackContext extends ChangeContext {
  log: Logger
}

export interface SpanOptions {
  untilMs: number
  limits: PackLimits
  maxRests?: number | undefined
  /** Receives an error for each stream that was left out. */
  failures: unknown[]
}

/** Limits after a failure, so that one stream at a time is packed or left out. */
const FEW = { rows: 1000, cells: 50_000, streams: 1 }
/** With more failures in one call, the cause is probably not in the rows. */
const MAX_FAILURES = 20

/**
 * Each batch begins after the previous one, to avoid scanning deleted rows. A stream that cannot be packed is left to the next
 * run, so that it does not stop the others.
 * @returns the end of the last batch, or 'done' if nothing is left to do in this run
 */
export async function packSpan(
  ctx: PackContext,
  span: RowSpan,
  { untilMs, limits, maxRests, failures }: SpanOptions,
): Promise<RowKey | 'done' | undefined> {
  let last = span.after
  let batchLimits = limits
  const change = (tx: Kysely<Tables>, after: RowKey | undefined) => {
    last = after
    return packBatch(tx, { ...span, after }, batchLimits)
  }
  for (let failed = 0; ;) {
    try {
      return await repeatChanges(ctx, { after: last, untilMs, maxRests, change })
    } catch (error) {
      if (isMissing(error) || failed > MAX_FAILURES) throw error
      if (failed++ > 0) {
        const next = await findStreamEnd(ctx.db, { ...span, after: last })
        failures.push(error)
        ctx.log.error(
          { err: error, partition: span.partition, stream: next },
          'the rows of a stream could not be packed; the next run tries again',
        )
        if (next === 'done' || Date.now() >= untilMs) return next
        last = next
      }
      batchLimits = { ...limits, ...FEW }
    }
  }
}

/** @returns a place after all rows of the stream with the first row of the span */
async function findStreamEnd(db: Kysely<Tables>, span: RowSpan): Promise<RowKey | 'done'> {
  const { rows } = await sql<{ tenantNumber: number; streamNumber: number }>`
    select tenant_number as "tenantNumber", stream_number as "streamNumber" from ${sql.table(span.partition)}
    where ${isInSpan(span)} order by ${rowKey} limit 1`.execute(db)
  const [first] = rows
  return first ? { ...first, timeMs: (span.day + 1) * DAY_MS, messageId: '0' } : 'done'
}
