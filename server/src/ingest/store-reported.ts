/**
 * Reported properties: each message is merged into the device's twin, in order, with a version counter, kept as
 * samples, and forwarded to the message queue. [docs/twins#reported-properties]
 */
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { newBudget } from '../lib/json-logic/budget.ts'
import { takeTurns } from '../lib/take-turns.ts'
import { addDeliverOutboxJob } from '../outbox/deliver.ts'
import { advanceUpdates } from '../firmware/updates/advance-updates.ts'
import { mergePatch, type Properties } from '../providers/twin/merge-patch.ts'
import { mergeReported } from '../assets/twins/merge-reported.ts'
import { appendProjected, prepareStorage } from './append-projected.ts'
import { type MessageBatch, requireSendersStayed, type StoreContext } from './batch.ts'
import { reportDeadLetters } from './dead-letters/report.ts'
import { createDeadLetter, insertDeadLetters } from './dead-letters/store.ts'
import { checkName, checkValue, parseJsonObject } from './json-object.ts'
import { lockSenders } from './lock-senders.ts'
import type { DeadLetter, DeviceMessage } from './message.ts'
import { arrivalId } from './message-id.ts'
import { clearRecoveredBindings, recordFailures } from './binding-errors.ts'
import { type Projected, projectMeasurements } from './projection/projected.ts'
import { type Measurement, readMessages } from './read-messages.ts'
import { reportedChanges } from './reported-assets.ts'
import { listReportedForUpdate, type ReportedTwin, updateReported } from './reported-twins.ts'
import { keepUnanswered, type Outcome, publishUnanswered } from './unanswered.ts'
import { UnreadableError } from './unreadable.ts'

/** Limit of the merged state as JSON text. */
export const MAX_REPORTED_BYTES = 256 * 1024
const REMEMBERED_MESSAGES = 16

interface Report {
  message: DeviceMessage
  messageId: bigint
  change: Properties
}

/** The result of applying a report to its twin. */
interface Stored extends Report {
  version: number
  /** The twin after this report. */
  reported: Properties
}

/** All messages of a device must be in one batch, or in batches that are stored one after the other. */
export async function storeReported(ctx: StoreContext, batch: MessageBatch): Promise<void> {
  const { read: reports, deadLetters: unreadable } = await readMessages(
    batch.messages,
    readReport,
    takeTurns(),
  )
  const outcome = await storeReports(ctx, { batch, reports, unreadable })
  await clearRecoveredBindings(ctx, outcome.projected)
  ctx.metrics.ingestMessages.inc({ kind: 'reported' }, outcome.reports.length)
  await publishUnanswered(ctx, batch.unanswered, outcome.observed.samples)
  ctx.push.publishSamples(outcome.observed.readCommitted())
  reportDeadLetters(ctx, outcome.deadLetters)
}

interface IncomingReports {
  batch: MessageBatch
  reports: Report[]
  unreadable: DeadLetter[]
}

interface StoredReports extends Outcome {
  reports: Stored[]
  deadLetters: DeadLetter[]
  projected: Projected[]
}

class RefusedReports extends Error {
  constructor(readonly letters: DeadLetter[]) {
    super('some reports are refused')
  }
}

/** What a report sets is known when its twin is read. Where that makes too many series, it is left out and all is repeated. */
async function storeReports(ctx: StoreContext, incoming: IncomingReports): Promise<StoredReports> {
  try {
    return await storeInTransaction(ctx, incoming)
  } catch (error) {
    if (!(error instanceof RefusedReports)) throw error
    const refused = new Set(error.letters.map(({ message }) => message))
    return storeReports(ctx, {
      ...incoming,
      reports: incoming.reports.filter(({ message }) => !refused.has(message)),
      unreadable: [...incoming.unreadable, ...error.letters],
    })
  }
}

const storeInTransaction = (
  ctx: StoreContext,
  { batch, reports, unreadable }: IncomingReports,
): Promise<StoredReports> =>
  keepUnanswered(batch.unanswered, (reach) =>
    ctx.db.transaction().execute(async (tx) => {
      if (batch.locksSenders) await lockSenders(tx, batch.messages)
      const { stored, twins, tooLarge } = await applyReports(tx, reports)
      const deadLetters = [...unreadable, ...tooLarge]
      await updateReported(tx, twins)
      await advanceUpdates(tx, stored.map(firmwareReport))
      const projected = await projectMeasurements(ctx, stored.map(reportedMeasurement), {
        kind: 'property',
        turn: takeTurns(),
      })
      const { refused } = await prepareStorage(ctx, projected)
      if (refused.length > 0) throw new RefusedReports(refused)
      const { observed } = await appendProjected(ctx, tx, projected)
      await mergeReported(
        tx,
        projected.flatMap((one, index) => reportedChanges(one, stored[index]!.change)),
      )
      await recordFailures(ctx, tx, projected)
      await insertDeadLetters(tx, deadLetters)
      await enqueueForwarding(tx, stored)
      await batch.advance?.(tx)
      requireSendersStayed(ctx, batch)
      return reach({ reports: stored, deadLetters, projected, observed, changes: [] })
    }),
  )

/** @throws UnreadableError */
function readReport(message: DeviceMessage): Report {
  // A device that confirms desired properties by sending them back includes `$version`, which is not a property.
  const { $version: _, ...change } = parseJsonObject(message.payload)
  for (const [name, value] of Object.entries(change)) {
    checkName(name)
    checkValue(name, value)
  }
  return { message, messageId: arrivalId(message), change }
}

async function applyReports(tx: Kysely<Tables>, reports: Report[]) {
  const twins = await listReportedForUpdate(tx, [
    ...new Set(reports.map(({ message }) => message.device.number)),
  ])
  const stored: Stored[] = []
  const tooLarge: DeadLetter[] = []
  for (const report of reports) {
    const { message, messageId } = report
    const twin = twins.get(message.device.number)
    // Without a twin the client was deleted, and its report is dropped.
    if (!twin || (message.isRepeat && twin.messageIds.includes(`${messageId}`))) continue
    const next = nextTwin(twin, report)
    if (Buffer.byteLength(JSON.stringify(next.reported)) > MAX_REPORTED_BYTES) {
      tooLarge.push(createDeadLetter(message, new UnreadableError('twin_too_large', tooLargeText)))
      continue
    }
    twins.set(twin.clientNumber, next)
    stored.push({ ...report, version: next.version, reported: next.reported })
  }
  const changed = new Set(stored.map(({ message }) => message.device.number))
  return { stored, tooLarge, twins: [...twins.values()].filter((twin) => changed.has(twin.clientNumber)) }
}

const tooLargeText = `The reported properties together would exceed ${MAX_REPORTED_BYTES} bytes. Remove some with null.`

const nextTwin = (twin: ReportedTwin, { message, messageId, change }: Report): ReportedTwin => ({
  clientNumber: twin.clientNumber,
  reported: mergePatch(twin.reported, change),
  version: twin.version + 1,
  reportedAt: new Date(message.receivedAtMs),
  messageIds: [...twin.messageIds, `${messageId}`].slice(-REMEMBERED_MESSAGES),
})

/** Returns each property that the report set, with its value after the merge; a removed property has no value. */
function reportedMeasurement({ message, messageId, change, reported }: Stored): Measurement {
  const names = Object.keys(change)
  return {
    message,
    timeMs: message.receivedAtMs,
    messageId,
    names,
    values: names.map((name) => (change[name] === null ? null : reported[name])),
    isTimedByArrival: true,
    budget: newBudget(),
  }
}

const firmwareReport = ({ message, change, reported }: Stored) => ({
  clientNumber: message.device.number,
  change,
  reported,
})

async function enqueueForwarding(tx: Kysely<Tables>, stored: Stored[]): Promise<void> {
  if (stored.length === 0) return
  const subject = 'ProviderClientPropertiesChanged'
  await tx
    .insertInto('outbox')
    .values(stored.map((report) => ({ subject, payload: JSON.stringify(changedMessage(report)) })))
    .execute()
  await addDeliverOutboxJob(tx)
}

/** The API does not show the content of this message. */
const changedMessage = ({ message, change, reported, version }: Stored) => ({
  tenantId: message.device.tenantId,
  providerId: message.device.providerId,
  providerClientId: message.device.id,
  componentId: null,
  /** The change in this message; null removes a property. */
  change,
  /** All reported properties after the change. */
  reported,
  version,
  timestamp: new Date(message.receivedAtMs).toISOString(),
  ...(message.traceparent !== undefined && { traceparent: message.traceparent }),
})
