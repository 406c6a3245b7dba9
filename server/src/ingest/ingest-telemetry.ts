import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Tables } from '../database/tables.ts'
import { appendNewSamples, appendSamples, holdsNumbersOnly, isRepeated } from '../timeseries/append.ts'
import { ensurePartitions } from '../timeseries/ensure-partitions.ts'
import type { SampleBatch } from '../timeseries/sample-batch.ts'
import { reportDeadLetters } from './batch.ts'
import { type DeadLetter, insertDeadLetters } from './dead-letters/store.ts'
import type { DeviceMessage } from './message.ts'
import { readEach, readTelemetry } from './read-messages.ts'
import { withoutRepeats } from './repeats.ts'
import { batchOf, ensureSeriesOf } from './sample-batch.ts'

/**
 * Stores the telemetry of many messages in one commit; each is stored as a whole, once, or kept as a dead letter.
 * @param earlier settles when the batches before this one have ended
 */
export async function ingestTelemetry(
  ctx: Context,
  messages: DeviceMessage[],
  earlier: Promise<unknown>,
): Promise<void> {
  const { read, deadLetters } = readEach(messages, readTelemetry)
  const measurements = read.flat()
  await ensureSeriesOf(ctx, measurements)
  const batch = batchOf(ctx.series, await withoutRepeats(ctx, measurements, earlier))
  await ensurePartitions(ctx.pool, ctx.partitions, batch)
  await store(ctx, batch, deadLetters)
  ctx.metrics.ingestMessages.inc({ kind: 'telemetry' }, messages.length)
  ctx.metrics.ingestSamples.inc(batch.time.length)
  reportDeadLetters(ctx, deadLetters)
}

/**
 * QoS 1 repeats of messages with a time of their own fall out here. They are rare, and looking for them costs a third: a
 * batch goes in without, and again with where one shows.
 */
async function store(ctx: Context, batch: SampleBatch, deadLetters: DeadLetter[]): Promise<void> {
  try {
    await commit(ctx, batch, deadLetters, appendNewSamples)
  } catch (error) {
    if (!isRepeated(error)) throw error
    await commit(ctx, batch, deadLetters, appendSamples)
  }
}

async function commit(
  { db }: Context,
  batch: SampleBatch,
  deadLetters: DeadLetter[],
  append: (db: Kysely<Tables>, batch: SampleBatch) => Promise<unknown>,
): Promise<void> {
  // Then it is one statement, and a transaction by itself.
  if (deadLetters.length === 0 && holdsNumbersOnly(batch)) return void (await append(db, batch))
  await db.transaction().execute(async (tx) => {
    await append(tx, batch)
    await insertDeadLetters(tx, deadLetters)
  })
}
