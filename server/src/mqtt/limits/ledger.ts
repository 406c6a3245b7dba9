/**
 * Records what limits did to a device: how much was delayed, dropped or refused, when, and why. Events of a client with the
 * same limit and outcome are added up in memory and written together, one batch after the other, so that a flood of drops
 * costs neither a write nor memory for each. A batch whose commit was not confirmed is written again and may count twice.
 * [docs/mqtt#ledger]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { printable } from '../../ingest/json-object.ts'
import type { Runtime } from '../../runtime.ts'
import { limitAdvice, type LimitName, type LimitOutcome } from './limit-advice.ts'
import { addLimitEvents, type LimitEventRow } from './store.ts'

/** Events within this time are written together. */
const GATHER_MS = 1000
/** The limit of rows that wait to be written, for times without a database. */
const MAX_ROWS = 50_000
const ROWS_AT_ONCE = 1000
const MAX_TOPIC_LENGTH = 200

export interface LimitEvent {
  limit: LimitName
  outcome: LimitOutcome
  /** How many messages, connections or delays; 1 if absent. */
  count?: number
  /** The payload of a message that was dropped or refused. */
  bytes?: number
  delayMs?: number
  /** The topic of the message. */
  topic?: string
}

export interface Ledger extends AsyncDisposable {
  /** @param clientNumber `provider_clients.number` */
  record(clientNumber: number, event: LimitEvent): void
}

interface Entry {
  clientNumber: number
  limit: LimitName
  outcome: LimitOutcome
  count: number
  bytes: number
  delayMs: number
  firstMs: number
  lastMs: number
  lastTopic: string | undefined
}

export function createLedger({ db, log, metrics }: Pick<Runtime, 'db' | 'log' | 'metrics'>): Ledger {
  let entries = new Map<string, Entry>()
  let unrecorded = 0
  let writing: Promise<void> | undefined
  const stopping = new AbortController()
  const pause = () => sleep(GATHER_MS, undefined, { signal: stopping.signal }).catch(() => {})

  const write = async () => {
    while (entries.size > 0) {
      await pause()
      const batch = [...entries.values()]
      entries = new Map()
      try {
        while (batch.length > 0) {
          await addLimitEvents(db, batch.slice(0, ROWS_AT_ONCE).map(toRow))
          for (const { limit, outcome, count } of batch.splice(0, ROWS_AT_ONCE))
            metrics.mqttLimits.inc({ limit, outcome }, count)
        }
      } catch (error) {
        log.warn({ reason: (error as Error).message }, 'effects of MQTT limits cannot be written')
        if (stopping.signal.aborted) break
        for (const entry of batch) add(entry)
      }
      if (unrecorded > 0) log.warn({ events: unrecorded }, 'effects of MQTT limits were not recorded')
      unrecorded = 0
    }
    // This runs in the same turn that found no entries left, so that none can be added in between.
    writing = undefined
  }

  const add = (entry: Entry) => {
    const key = `${entry.clientNumber} ${entry.limit} ${entry.outcome}`
    const known = entries.get(key)
    if (known) addUp(known, entry)
    else if (entries.size < MAX_ROWS) entries.set(key, entry)
    else unrecorded += entry.count
  }

  return {
    record(clientNumber, { limit, outcome, count = 1, bytes = 0, delayMs = 0, topic }) {
      const nowMs = Date.now()
      const times = { firstMs: nowMs, lastMs: nowMs }
      add({
        clientNumber,
        limit,
        outcome,
        count,
        bytes,
        delayMs,
        ...times,
        lastTopic: topic && shorten(topic),
      })
      writing ??= write()
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await writing
    },
  }
}

function addUp(sum: Entry, { count, bytes, delayMs, firstMs, lastMs, lastTopic }: Entry): void {
  sum.count += count
  sum.bytes += bytes
  sum.delayMs += delayMs
  sum.firstMs = Math.min(sum.firstMs, firstMs)
  if (lastMs < sum.lastMs) return
  sum.lastMs = lastMs
  sum.lastTopic = lastTopic ?? sum.lastTopic
}

/** A copy: a part of a string keeps the whole in memory. */
const shorten = (topic: string): string =>
  topic.length <= MAX_TOPIC_LENGTH ? topic : Buffer.from(topic.slice(0, MAX_TOPIC_LENGTH)).toString()

const toRow = ({ clientNumber, limit, outcome, lastTopic, ...entry }: Entry): LimitEventRow => ({
  client_number: clientNumber,
  limit_name: limit,
  outcome,
  count: entry.count,
  bytes: entry.bytes,
  delay_ms: Math.round(entry.delayMs),
  first_at: new Date(entry.firstMs),
  last_at: new Date(entry.lastMs),
  message: lastTopic
    ? `${limitAdvice[limit]} The last topic was ${printable(lastTopic)}.`
    : limitAdvice[limit],
})
