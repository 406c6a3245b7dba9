import type { Context } from '../context.ts'
import { appendSamples } from '../timeseries/append.ts'
import { ensurePartitions } from '../timeseries/ensure-partitions.ts'
import { reportDeadLetters } from './batch.ts'
import { insertDeadLetters } from './dead-letters/store.ts'
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
  await ctx.db.transaction().execute(async (tx) => {
    // QoS 1 repeats of messages with a time of their own fall out here.
    await appendSamples(tx, batch)
    await insertDeadLetters(tx, deadLetters)
  })
  ctx.metrics.ingestMessages.inc({ kind: 'telemetry' }, messages.length)
  ctx.metrics.ingestSamples.inc(batch.time.length)
  reportDeadLetters(ctx, deadLetters)
}
