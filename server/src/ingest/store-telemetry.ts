/** Everything that a batch of telemetry changes, in one commit. */
import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Tables } from '../database/tables.ts'
import { appendNewSamples, holdsNumbersOnly, isRepeated } from '../timeseries/append.ts'
import { ensurePartitions } from '../timeseries/ensure-partitions.ts'
import { type DeadLetter, insertDeadLetters } from './dead-letters/store.ts'
import { failuresToTell, updateBindingErrors } from './projection/failures.ts'
import { isJoining } from './projection/join.ts'
import { failuresOf, type Projected, samplesOf } from './projection/projected.ts'
import { appendProjected } from './append-projected.ts'
import { batchOf } from './sample-batch.ts'

export interface IncomingTelemetry {
  projected: Projected[]
  deadLetters: DeadLetter[]
}

/** @returns how many samples were stored */
export async function storeTelemetry(ctx: Context, incoming: IncomingTelemetry): Promise<number> {
  if (incoming.projected.some(isJoining)) return storeAny(ctx, incoming)
  try {
    return await storePlain(ctx, incoming)
  } catch (error) {
    // QoS 1 repeats of messages with a time of their own fall out here. They are rare, and looking for them costs a
    // third: a batch goes in without, and again with where one shows.
    if (!isRepeated(error)) throw error
    return storeAny(ctx, incoming)
  }
}

async function storePlain(ctx: Context, incoming: IncomingTelemetry): Promise<number> {
  const { projected, deadLetters } = incoming
  const batch = batchOf(ctx.series, samplesOf(projected))
  await ensurePartitions(ctx.pool, ctx.partitions, batch)
  const isAlone = deadLetters.length === 0 && failuresOf(projected).length === 0
  // Then it is one statement, and a transaction by itself.
  if (isAlone && holdsNumbersOnly(batch)) await appendNewSamples(ctx.db, batch)
  else
    await ctx.db.transaction().execute(async (tx) => {
      await appendNewSamples(tx, batch)
      await storeBeside(ctx, tx, incoming)
    })
  return batch.time.length
}

const storeAny = (ctx: Context, incoming: IncomingTelemetry): Promise<number> =>
  ctx.db.transaction().execute(async (tx) => {
    const stored = await appendProjected(ctx, tx, incoming.projected)
    await storeBeside(ctx, tx, incoming)
    return stored
  })

async function storeBeside(
  ctx: Context,
  tx: Kysely<Tables>,
  { projected, deadLetters }: IncomingTelemetry,
): Promise<void> {
  await insertDeadLetters(tx, deadLetters)
  await updateBindingErrors(tx, failuresToTell(ctx.plans.failedAt, failuresOf(projected)))
}
