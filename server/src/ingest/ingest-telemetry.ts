import type { Context } from '../context.ts'
import { reportDeadLetters } from './batch.ts'
import type { DeviceMessage } from './message.ts'
import { projectMeasurements, samplesOf } from './projection/projected.ts'
import { readEach, readTelemetry } from './read-messages.ts'
import { withoutRepeats } from './repeats.ts'
import { ensureSeriesOf } from './sample-batch.ts'
import { storeTelemetry } from './store-telemetry.ts'

/**
 * Stores the telemetry of many messages in one commit, under the assets that read it; each message is stored as a
 * whole, once, or kept as a dead letter.
 * @param earlier settles when the batches before this one have ended
 */
export async function ingestTelemetry(
  ctx: Context,
  messages: DeviceMessage[],
  earlier: Promise<unknown>,
): Promise<void> {
  const { read, deadLetters } = await readEach(messages, readTelemetry)
  const all = await projectMeasurements(ctx, read.flat(), 'telemetry')
  await ensureSeriesOf(ctx, samplesOf(all))
  const projected = await withoutRepeats(ctx, all, earlier)
  const stored = await storeTelemetry(ctx, { projected, deadLetters })
  ctx.metrics.ingestMessages.inc({ kind: 'telemetry' }, messages.length)
  ctx.metrics.ingestSamples.inc(stored)
  reportDeadLetters(ctx, deadLetters)
}
