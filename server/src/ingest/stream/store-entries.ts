/** Stores messages from the stream, and with them how far their partitions are stored, in one transaction. */
import type { Kysely } from 'kysely'
import type { StreamLane } from '../../database/tables/ingest.ts'
import type { Tables } from '../../database/tables.ts'
import { isFaultOfData } from '../../lib/retry.ts'
import type { MessageBatch } from '../batch.ts'
import { refuseMessage } from '../commit-batch.ts'
import { reportDeadLetters } from '../dead-letters/report.ts'
import { insertDeadLetters } from '../dead-letters/store.ts'
import type { DeadLetter, Device, DeviceMessage } from '../message.ts'
import { storeDivided } from '../store-divided.ts'
import { storeReported } from '../store-reported.ts'
import { storeTelemetry } from '../store-telemetry.ts'
import type { Outcome } from '../unanswered.ts'
import { loadDevices } from './load-devices.ts'
import { listOpenings, type Moves } from './moved-sessions.ts'
import { advancePositions, FencedError, moveTo, type Position, type Reached } from './partitions.ts'
import { insertOpenings } from './session-openings.ts'
import type { StreamContext } from './state.ts'
import { type Entry, getPosition, type Unreadable } from './tracks.ts'

export interface StoreOptions {
  lane: StreamLane
  /** Each message that cannot be stored becomes a dead letter, whatever the error, unless it is the database's. */
  isolate: boolean
  /** Gets what may have been stored although it failed. */
  unanswered: Outcome[]
  /** The late ones are not stored. */
  moves?: Moves
}

interface Work extends Pick<StoreOptions, 'lane' | 'unanswered' | 'moves'> {
  ctx: StreamContext
  devices: Map<number, Device>
}

/**
 * Stores each message once and as a whole, or keeps it as a dead letter. Messages of deleted clients are dropped.
 * @throws when some are not stored, such as a FencedError; the positions in the database say which
 */
export async function storeEntries(
  ctx: StreamContext,
  entries: Entry[],
  options: StoreOptions,
): Promise<void> {
  const numbers = new Set(entries.map(({ record }) => record.client.number))
  const devices = await loadDevices(ctx, [...numbers])
  const work: Work = { ctx, devices, ...options }
  const division = {
    store: (part: Entry[]) => storeTogether(work, part),
    isFaultOfOne: options.isolate ? isFaultOfMessage : isFaultOfData,
    keepRefused: (entry: Entry, refusal: Error) => keepRefused(work, entry, refusal),
  }
  await storeDivided(ctx, division, entries)
}

/** SQLSTATE classes of connections, conflicts, resources, interventions and the system: another try may succeed. */
const isFaultOfMessage = (error: unknown): boolean => {
  const { code = '', message } = error as { code?: string; message: string }
  return (
    !(error instanceof FencedError) &&
    !/^(08|40|53|55|57|58)|^E[A-Z]+$/.test(code) &&
    !/connection|timeout/i.test(message)
  )
}

async function storeTogether(work: Work, entries: Entry[]): Promise<void> {
  const { ctx, lane, unanswered, moves } = work
  const present = moves?.late.size ? entries.filter((entry) => !moves.late.has(entry)) : entries
  const messages = present.flatMap((entry) => toMessage(work, entry) ?? [])
  const dropped = present.length - messages.length
  if (dropped > 0) ctx.metrics.ingestWithoutClient.inc(dropped)
  const advance = advanceTo(work, entries)
  const batch: MessageBatch = { messages, earlier: Promise.resolve(), advance, unanswered }
  if (messages.length === 0) await ctx.db.transaction().execute(advance)
  else if (lane === 'telemetry') await storeTelemetry(ctx, batch)
  else if (lane === 'reported') await storeReported(ctx, batch)
  else await storeLetters(work, entries, listLetters(work, present))
  ctx.activity.record(messages)
}

/** @returns undefined if its client was deleted; its number may be that of another one in a database that was restored */
function toMessage(
  { devices }: Work,
  { record: { client, letter: _, sender: __, ...message } }: Entry,
): DeviceMessage | undefined {
  const device = devices.get(client.number)
  const isSame = device?.id === client.id && device.tenantNumber === client.tenantNumber
  return isSame ? { ...message, device, hasWaited: true } : undefined
}

const listLetters = (work: Work, entries: Entry[]): DeadLetter[] =>
  entries.flatMap((entry) => {
    const message = toMessage(work, entry)
    return message ? [{ message, ...entry.record.letter! }] : []
  })

const advanceTo =
  ({ ctx, lane, moves }: Work, entries: Entry[]) =>
  async (tx: Kysely<Tables>): Promise<void> => {
    const first = moves?.first.size ? entries.filter((entry) => moves.first.has(entry)) : []
    if (first.length > 0) await insertOpenings(tx, lane, listOpenings(first))
    await advancePositions(tx, ctx.nodes.id, { lane, reached: listReached(entries) })
  }

/** Entries of a partition are in order: from the first one to the last one. */
function listReached(entries: Entry[]): Reached[] {
  const byPartition = new Map<number, Reached>()
  for (const { track, from, next } of entries) {
    const { partition, fence } = track
    byPartition.set(partition, { partition, fence, from: byPartition.get(partition)?.from ?? from, to: next })
  }
  return [...byPartition.values()]
}

async function keepRefused(work: Work, entry: Entry, refusal: Error): Promise<void> {
  const message = toMessage(work, entry)
  await storeLetters(work, [entry], message ? [refuseMessage(work.ctx, message, refusal)] : [])
}

async function storeLetters(work: Work, entries: Entry[], letters: DeadLetter[]): Promise<void> {
  const { ctx } = work
  await ctx.db.transaction().execute(async (tx) => {
    await insertDeadLetters(tx, letters)
    await advanceTo(work, entries)(tx)
  })
  reportDeadLetters(ctx, letters)
}

/** Keeps what is no batch, so that it holds up nothing. @returns the position behind it @throws FencedError */
export async function keepUnreadable(
  { db, nodes, log, metrics }: StreamContext,
  stream: string,
  { track, sequence, time, receivedAt, reason, payload }: Unreadable,
): Promise<Position> {
  const { partition, lane, fence } = track
  const from = getPosition(track)
  const to = moveTo(from, time, { sequence: sequence + 1, part: 0 })
  await db.transaction().execute(async (tx) => {
    await tx
      .insertInto('unreadable_batches')
      .values({ stream, sequence, partition, lane, received_at: receivedAt, reason, payload })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await advancePositions(tx, nodes.id, {
      lane,
      reached: [{ partition, fence, from, to }],
    })
  })
  metrics.ingestUnreadableBatches.inc()
  log.error({ partition, lane, sequence, reason }, 'the stream of ingest has something that is no batch')
  return to
}
