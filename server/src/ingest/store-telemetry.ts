/** Processes telemetry from the payloads of a batch to the subscribers, one call after another. */
import type { Kysely } from 'kysely'
import { rememberEvaluation } from '../alarms/after-commit.ts'
import { applyAlarms } from '../alarms/apply-alarms.ts'
import type { AlarmChange } from '../alarms/statuses/alarm-change.ts'
import { evaluateAlarms } from '../alarms/watch/evaluate-alarms.ts'
import { forgetAssets } from '../alarms/watch/forget.ts'
import type { Evaluation } from '../alarms/watch/evaluate.ts'
import type { Tables } from '../database/tables.ts'
import { takeTurns } from '../lib/take-turns.ts'
import { appendNewRows, isRepeated } from '../timeseries/storage/append.ts'
import { hasLateRows } from '../timeseries/storage/packed/find-packed.ts'
import { appendProjected, prepareStorage } from './append-projected.ts'
import { type MessageBatch, requireSendersStayed, type StoreContext } from './batch.ts'
import { clearRecoveredBindings, recordFailures } from './binding-errors.ts'
import { reportDeadLetters } from './dead-letters/report.ts'
import { insertDeadLetters } from './dead-letters/store.ts'
import { deduplicate } from './deduplicate.ts'
import { lockSenders } from './lock-senders.ts'
import type { DeadLetter } from './message.ts'
import { observeSamples } from './observed-samples.ts'
import { countSamples, type ProjectedRow } from './projected-rows.ts'
import { isJoining } from './projection/join.ts'
import { listFailures, type Projected, projectMeasurements, listSamples } from './projection/projected.ts'
import { readMessages, readTelemetry } from './read-messages.ts'
import { keepUnanswered, type Outcome, publishUnanswered } from './unanswered.ts'

/** Stores each message once and as a whole, or keeps it as a dead letter; the whole batch is one commit. */
export async function storeTelemetry(ctx: StoreContext, batch: MessageBatch): Promise<void> {
  const { messages, earlier, nextTurn } = batch
  const turn = takeTurns(nextTurn)
  const { read, deadLetters: unreadable } = await readMessages(messages, readTelemetry, turn)
  const measured = await projectMeasurements(ctx, read.flat(), { kind: 'telemetry', turn })
  await turn()
  const candidates = await deduplicate(ctx, measured, earlier)
  const { projected, rows, refused } = await prepareStorage(ctx, candidates)
  const deadLetters = [...unreadable, ...refused]
  // A batch that is still being committed may have the letter of which one here is a repeat.
  if (deadLetters.some(({ message }) => message.isRepeat)) await earlier
  const { count, observed, evaluation, changes } = await commit(ctx, { batch, projected, rows, deadLetters })
  await clearRecoveredBindings(ctx, projected)
  rememberEvaluation(ctx.alarms, evaluation, changes)
  await publishUnanswered(ctx, batch.unanswered, observed.samples)
  ctx.push.publishAlarms(changes)
  ctx.push.publishSamples(observed.readCommitted())
  ctx.metrics.ingestMessages.inc({ kind: 'telemetry' }, messages.length)
  ctx.metrics.ingestSamples.inc(count)
  reportDeadLetters(ctx, deadLetters)
}

interface IncomingTelemetry {
  batch: MessageBatch
  projected: Projected[]
  /** Where no values are joined, the rows of all of it. */
  rows: ProjectedRow[]
  deadLetters: DeadLetter[]
}

interface Committed extends Outcome {
  /** Number of samples that were stored. */
  count: number
  evaluation: Evaluation
}

async function commit(ctx: StoreContext, incoming: IncomingTelemetry): Promise<Committed> {
  try {
    const { batch, projected, rows } = incoming
    if (batch.locksSenders || projected.some(isJoining) || hasLateRows(rows))
      return await commitAny(ctx, incoming)
    return await commitNew(ctx, incoming).catch((error: unknown) => {
      // QoS 1 repeats of messages with their own timestamps are detected here. They are rare, and searching for them up
      // front costs a third.
      if (!isRepeated(error)) throw error
      return commitAny(ctx, incoming)
    })
  } catch (error) {
    forgetAlarms(ctx, incoming)
    throw error
  }
}

/** Commits samples of which none is stored yet: their alarms are evaluated before the transaction begins. */
async function commitNew(ctx: StoreContext, incoming: IncomingTelemetry): Promise<Committed> {
  const { batch, projected, rows } = incoming
  const observed = observeSamples(ctx, listSamples(projected))
  const evaluation = await evaluateAlarms(ctx.alarms, observed.samples)
  const count = countSamples(rows)
  if (!ctx.nodes.peers.exist && changesNothingElse(incoming, evaluation)) {
    return keepUnanswered(batch.unanswered, async (reach) => {
      const reached = reach({ count, observed, evaluation, changes: [] })
      // A single statement is a transaction by itself. With other nodes, the last look at its senders has to follow it.
      await appendNewRows(ctx.db, ctx.rowTables, rows)
      return reached
    })
  }
  return commitTransaction(ctx, batch, async (tx) => {
    await appendNewRows(tx, ctx.rowTables, rows)
    const changes = await applyConsequences(ctx, tx, incoming, evaluation)
    return { count, observed, evaluation, changes }
  })
}

const commitTransaction = (
  ctx: StoreContext,
  batch: MessageBatch,
  work: (tx: Kysely<Tables>) => Promise<Committed>,
): Promise<Committed> =>
  keepUnanswered(batch.unanswered, (reach) =>
    ctx.db.transaction().execute(async (tx) => {
      const committed = await work(tx)
      requireSendersStayed(ctx, batch)
      return reach(committed)
    }),
  )

const changesNothingElse = (
  { batch, projected, deadLetters }: IncomingTelemetry,
  { crossings, sharedAssets }: Evaluation,
): boolean =>
  batch.advance === undefined &&
  deadLetters.length === 0 &&
  listFailures(projected).length === 0 &&
  crossings.length === 0 &&
  !sharedAssets?.size

/** Commits batches with locked senders, repeats or joined values, all of which are known only within the transaction. */
const commitAny = (ctx: StoreContext, incoming: IncomingTelemetry): Promise<Committed> =>
  commitTransaction(ctx, incoming.batch, async (tx) => {
    if (incoming.batch.locksSenders) await lockSenders(tx, incoming.batch.messages)
    const { count, observed } = await appendProjected(ctx, tx, incoming.projected)
    const evaluation = await evaluateAlarms(ctx.alarms, observed.samples)
    const changes = await applyConsequences(ctx, tx, incoming, evaluation)
    return { count, observed, evaluation, changes }
  })

/** Writes everything that must commit together with the samples. */
async function applyConsequences(
  ctx: StoreContext,
  tx: Kysely<Tables>,
  { batch, projected, deadLetters }: IncomingTelemetry,
  evaluation: Evaluation,
): Promise<AlarmChange[]> {
  await insertDeadLetters(tx, deadLetters)
  const changes = await applyAlarms(ctx.alarms, tx, evaluation)
  // Failures follow the alarms, in the order used when an asset is deleted or migrated, to avoid a deadlock.
  await recordFailures(ctx, tx, projected)
  await batch.advance?.(tx)
  return changes
}

/** The answer to a commit may be lost although its alarms were activated: memory is read again. */
function forgetAlarms({ alarms }: StoreContext, { projected }: IncomingTelemetry): void {
  for (const { tenantId, owner } of listSamples(projected))
    if (owner.ownerType === 'asset') forgetAssets(alarms, tenantId, [owner.ownerId])
}
