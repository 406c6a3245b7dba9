/** Everything that a batch of telemetry changes, in one commit. */
import type { Kysely } from 'kysely'
import type { AlarmChange } from '../alarms/change.ts'
import type { Evaluation } from '../alarms/watch/evaluate.ts'
import type { Context } from '../context.ts'
import type { Tables } from '../database/tables.ts'
import { appendNewSamples, holdsNumbersOnly, isRepeated } from '../timeseries/append.ts'
import { ensurePartitions } from '../timeseries/ensure-partitions.ts'
import type { StoredSample } from '../timeseries/stored-sample.ts'
import { appendProjected } from './append-projected.ts'
import type { DeadLetter } from './message.ts'
import { insertDeadLetters } from './dead-letters/store.ts'
import { mendBindings, tellFailures } from './binding-errors.ts'
import { isJoining } from './projection/join.ts'
import { failuresOf, type Projected, samplesOf } from './projection/projected.ts'
import { batchOf, samplesToTell } from './sample-batch.ts'

export interface IncomingTelemetry {
  projected: Projected[]
  deadLetters: DeadLetter[]
}

/** What was committed, for whoever comes after the store. */
interface Committed {
  count: number
  stored: StoredSample[]
  evaluation: Evaluation
  changes: AlarmChange[]
}

/** @returns how many samples were stored */
export async function storeTelemetry(ctx: Context, incoming: IncomingTelemetry): Promise<number> {
  const { count, stored, evaluation, changes } = await commit(ctx, incoming).catch((error: unknown) => {
    forgetAlarmsOf(ctx, incoming)
    throw error
  })
  await mendBindings(ctx, incoming.projected)
  ctx.alarms.committed(evaluation, changes)
  ctx.push.telemetry(stored)
  return count
}

/** It may have been committed all the same, with alarms that nobody here knows of: memory and database have to agree. */
function forgetAlarmsOf({ alarms }: Context, { projected }: IncomingTelemetry): void {
  for (const { tenantId, owner } of samplesOf(projected))
    if (owner.ownerType === 'asset') alarms.assetsChanged(tenantId, [owner.ownerId])
}

async function commit(ctx: Context, incoming: IncomingTelemetry): Promise<Committed> {
  if (incoming.projected.some(isJoining)) return commitAny(ctx, incoming)
  try {
    return await commitNew(ctx, incoming)
  } catch (error) {
    // QoS 1 repeats of messages with a time of their own fall out here. They are rare, and looking for them costs a
    // third: a batch goes in without, and again with where one shows.
    if (!isRepeated(error)) throw error
    return commitAny(ctx, incoming)
  }
}

async function commitNew(ctx: Context, incoming: IncomingTelemetry): Promise<Committed> {
  const { projected, deadLetters } = incoming
  const samples = samplesOf(projected)
  const batch = batchOf(ctx.series, samples)
  await ensurePartitions(ctx.pool, ctx.partitions, batch)
  const stored = samplesToTell(ctx, samples)
  const evaluation = await ctx.alarms.judge(stored)
  const count = batch.time.length
  const isAlone = deadLetters.length === 0 && failuresOf(projected).length === 0 && changesNothing(evaluation)
  if (isAlone && holdsNumbersOnly(batch)) {
    // One statement, and a transaction by itself.
    await appendNewSamples(ctx.db, batch)
    return { count, stored, evaluation, changes: [] }
  }
  const changes = await ctx.db.transaction().execute(async (tx) => {
    await appendNewSamples(tx, batch)
    return commitBeside(ctx, tx, incoming, evaluation)
  })
  return { count, stored, evaluation, changes }
}

const changesNothing = ({ crossings, told }: Evaluation) => crossings.length === 0 && !told?.size

/** With repeats among them, and values that are put together with others'. */
const commitAny = (ctx: Context, incoming: IncomingTelemetry): Promise<Committed> =>
  ctx.db.transaction().execute(async (tx) => {
    const { count, stored } = await appendProjected(ctx, tx, incoming.projected)
    const evaluation = await ctx.alarms.judge(stored)
    return { count, stored, evaluation, changes: await commitBeside(ctx, tx, incoming, evaluation) }
  })

/** What changes with the samples, or not at all. */
async function commitBeside(
  ctx: Context,
  tx: Kysely<Tables>,
  { projected, deadLetters }: IncomingTelemetry,
  { crossings, told }: Evaluation,
): Promise<AlarmChange[]> {
  await insertDeadLetters(tx, deadLetters)
  // Whoever is to be told of an alarm is put down there, too.
  const changes = await ctx.alarms.apply(tx, crossings, told)
  // After the alarms, as whoever deletes or migrates an asset: so that nobody waits in a circle.
  await tellFailures(ctx, tx, projected)
  return changes
}
