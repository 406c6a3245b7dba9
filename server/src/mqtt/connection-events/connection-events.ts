/**
 * Keeps the last connections of each client and why they ended. Events are written in batches beside the path; of a storm
 * only the newest events of a client wait for their batch. [docs/mqtt#connection-events]
 */
import { type Kysely, sql } from 'kysely'
import type { ConnectionEventRow } from '../../database/tables/activity.ts'
import type { Tables } from '../../database/tables.ts'
import { printable } from '../../ingest/json-object.ts'
import { newId } from '../../lib/ids.ts'
import { retry } from '../../lib/retry.ts'
import type { Runtime } from '../../runtime.ts'

export const EVENTS_OF_CLIENT = 100
const RETENTION_DAYS = 30
const GATHER_MS = 500
/** A server that stops waits as long. */
const PATIENCE_MS = 5000
const ROWS_AT_ONCE = 1000
/** Events that wait for their batch; older ones of the client give way first. */
const MAX_WAITING_OF_CLIENT = 10
const MAX_WAITING = 20_000
/** Old rows of a client are deleted after one of so many new ones, on average. */
const NEW_ROWS_UNTIL_TRIM = 8
const MAX_MESSAGE_LENGTH = 1000

export type ConnectionEvent = Pick<ConnectionEventRow, 'event'> &
  Partial<Omit<ConnectionEventRow, 'id' | 'client_number' | 'at'>>

export interface ConnectionEvents extends AsyncDisposable {
  record(clientNumber: number, event: ConnectionEvent): void
  /** @returns once everything that was recorded on this node is written, or could not be written */
  flush(): Promise<void>
}

export function createConnectionEvents({ db, log }: Pick<Runtime, 'db' | 'log'>): ConnectionEvents {
  let waiting = new Map<number, ConnectionEventRow[]>()
  let count = 0
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let written = Promise.resolve()

  const writeWaiting = async () => {
    const rows = [...waiting.values()].flat()
    if (dropped > 0) log.warn({ events: dropped }, 'connection events were not recorded')
    waiting = new Map()
    count = dropped = 0
    try {
      // The connections to the database break while this node hangs.
      for (let start = 0; start < rows.length; start += ROWS_AT_ONCE)
        await retry(PATIENCE_MS, () => insertEvents(db, rows.slice(start, start + ROWS_AT_ONCE)))
    } catch (error) {
      log.warn({ reason: (error as Error).message }, 'connection events cannot be written')
    }
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    return (written = written.then(writeWaiting))
  }

  return {
    record(clientNumber, event) {
      const rows = waiting.get(clientNumber) ?? []
      if (rows.length === MAX_WAITING_OF_CLIENT) {
        rows.shift()
        dropped++
      } else if (count === MAX_WAITING) return void dropped++
      else count++
      rows.push(makeRow(clientNumber, event))
      waiting.set(clientNumber, rows)
      timer ??= setTimeout(() => void flush(), GATHER_MS)
    },
    flush,
    [Symbol.asyncDispose]: flush,
  }
}

const makeRow = (clientNumber: number, { message, ...event }: ConnectionEvent): ConnectionEventRow => ({
  id: newId(),
  client_number: clientNumber,
  at: new Date(),
  reason: null,
  protocol: null,
  transport: null,
  tls_version: null,
  address: null,
  client_id: null,
  resumed: null,
  ...event,
  message: message == null ? null : printable(message, MAX_MESSAGE_LENGTH),
})

/** Events of clients that were deleted meanwhile are left out. A crash of the database may lose the last half second. */
async function insertEvents(db: Kysely<Tables>, rows: ConnectionEventRow[]): Promise<void> {
  await sql`
    with unhurried as materialized (select set_config('synchronous_commit', 'off', true))
    insert into connection_events (id, client_number, event, at, reason, message, protocol, transport, tls_version, address,
      client_id, resumed)
    select new.* from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as new (id uuid, client_number int, event text,
      at timestamptz, reason text, message text, protocol text, transport text, tls_version text, address text,
      client_id text, resumed boolean)
    join provider_clients client on client.number = new.client_number, unhurried
    on conflict do nothing`.execute(db)
  const due = [...new Set(rows.map((row) => row.client_number))].filter(
    () => Math.random() * NEW_ROWS_UNTIL_TRIM < 1,
  )
  if (due.length > 0) await deleteOldEventsOfClients(db, due)
}

/** Rows that another node deletes are left to it, to avoid a deadlock. */
export const deleteOldEventsOfClients = (db: Kysely<Tables>, clientNumbers: number[]) =>
  sql`
    delete from connection_events where id in (
      select e.id from unnest(${clientNumbers}::int[]) as client (number), lateral (
        select id from connection_events where client_number = client.number
        order by id desc offset ${EVENTS_OF_CLIENT}
      ) as past join connection_events e on e.id = past.id
      for update of e skip locked)`.execute(db)

export const deleteOldConnectionEvents = (db: Kysely<Tables>) =>
  sql`delete from connection_events where at < now() - make_interval(days => ${RETENTION_DAYS})`.execute(db)
