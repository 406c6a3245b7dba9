/**
 * Messages that were acknowledged but could not be stored as telemetry or reported properties.
 * [docs/telemetry#dead-letters]
 */
import { type Kysely, sql } from 'kysely'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import { orNotFound } from '../../http/errors.ts'
import { firstIdAt, newId } from '../../lib/ids.ts'
import type { DeadLetter, DeviceMessage } from '../message.ts'
import { arrivalId } from '../message-id.ts'
import type { UnreadableError } from '../unreadable.ts'

/** A message that is sent again after this time counts as a new one. */
export const REPEAT_WINDOW_MS = 600_000

/** Length of the payload preview in lists. */
const PREVIEW_BYTES = 4096

export const createDeadLetter = (
  message: DeviceMessage,
  { reason, message: text }: UnreadableError,
): DeadLetter => ({
  message,
  reason,
  text,
})

/** Ignores letters of deleted clients, and repeats of letters that are stored already or come before them here. */
export async function insertDeadLetters(db: Kysely<Tables>, all: DeadLetter[]): Promise<void> {
  const letters = dropRepeatsAmong(all)
  if (letters.length === 0) return
  const columns = <T>(of: (letter: DeadLetter) => T) => letters.map(of)
  // One parameter in binary form: a list of byte strings would be sent as hexadecimal text, which takes time and memory.
  const payloads = Buffer.concat(columns(({ message }) => message.payload))
  await sql`
    insert into dead_letters (id, client_number, received_at, topic, payload, reason, message, traceparent)
    select letter.id, letter.client_number, letter.received_at, letter.topic, letter.payload, letter.reason, letter.message,
      letter.traceparent
    from (select *, substring(${payloads}::bytea from payload_at for payload_bytes) as payload from unnest(
      ${columns(() => newId())}::uuid[],
      ${columns(({ message }) => message.device.number)}::int[],
      ${columns(({ message }) => new Date(message.receivedAtMs))}::timestamptz[],
      ${columns(({ message }) => message.topic)}::text[],
      ${startsOf(letters)}::int[],
      ${columns(({ message }) => message.payload.length)}::int[],
      ${columns(({ reason }) => reason)}::text[],
      ${columns(({ text }) => text)}::text[],
      ${columns(({ message }) => message.traceparent ?? null)}::text[],
      ${columns(({ message }) => (message.isRepeat ? firstIdAt(message.receivedAtMs - REPEAT_WINDOW_MS) : null))}::uuid[]
    ) as column_of (id, client_number, received_at, topic, payload_at, payload_bytes, reason, message, traceparent, repeats_since)) letter
    join provider_clients on provider_clients.number = letter.client_number
    where letter.repeats_since is null or not exists (
      select from dead_letters as kept
      where kept.client_number = letter.client_number and kept.id >= letter.repeats_since
        and kept.topic = letter.topic and kept.payload = letter.payload
    )`.execute(db)
}

/** A statement does not see its own rows, so repeats within it are found here, by the identity of their messages. */
function dropRepeatsAmong(letters: DeadLetter[]): DeadLetter[] {
  if (!letters.some(({ message }) => message.isRepeat)) return letters
  const firstArrivals = new Map<string, number>()
  return letters.filter(({ message }) => {
    const key = `${arrivalId(message)} ${message.topic}`
    const firstMs = firstArrivals.get(key)
    if (message.isRepeat && firstMs !== undefined && message.receivedAtMs - firstMs <= REPEAT_WINDOW_MS)
      return false
    firstArrivals.set(key, message.receivedAtMs)
    return true
  })
}

/** Returns the place of each payload in all of them together, from 1. */
function startsOf(letters: DeadLetter[]): number[] {
  let place = 1
  return letters.map(({ message }) => (place += message.payload.length) - message.payload.length)
}

export interface DeadLetterRow {
  id: string
  received_at: Date
  topic: string
  reason: string
  message: string
  traceparent: string | null
  payload: Buffer
  payload_bytes: number
}

export interface ClientKey {
  tenantId: string
  providerId: string
  clientId: string
}

/**
 * Lists letters newest first, with payloads cut to a preview.
 * @param page `after` is the id of the last letter of the previous page; one row more than `limit` shows that more
 * follow
 */
export async function listDeadLetters(
  db: Kysely<Tables>,
  client: ClientKey,
  page: { limit: number; after: string | undefined },
): Promise<DeadLetterRow[]> {
  const number = await getClientNumber(db, client)
  return pageAfter(
    selectDeadLetters(db, PREVIEW_BYTES).where('client_number', '=', number),
    'id',
    page,
    'desc',
  )
}

/** @throws not_found */
export async function getDeadLetter(
  db: Kysely<Tables>,
  client: ClientKey,
  id: string,
): Promise<DeadLetterRow> {
  const number = await getClientNumber(db, client)
  return orNotFound(
    await selectDeadLetters(db, null)
      .where('client_number', '=', number)
      .where('id', '=', id)
      .executeTakeFirst(),
    'dead letter',
    id,
  )
}

/** @param maxBytes maximum length of the payload; null for the whole payload */
const selectDeadLetters = (db: Kysely<Tables>, maxBytes: number | null) =>
  db
    .selectFrom('dead_letters')
    .select(['id', 'received_at', 'topic', 'reason', 'message', 'traceparent'])
    .select([
      sql<Buffer>`substring(payload from 1 for coalesce(${maxBytes}::int, length(payload)))`.as('payload'),
      sql<number>`length(payload)`.as('payload_bytes'),
    ])

async function getClientNumber(
  db: Kysely<Tables>,
  { tenantId, providerId, clientId }: ClientKey,
): Promise<number> {
  const row = orNotFound(
    await db
      .selectFrom('provider_clients')
      .select('number')
      .where('tenant_id', '=', tenantId)
      .where('provider_id', '=', providerId)
      .where('id', '=', clientId)
      .executeTakeFirst(),
    'provider client',
    clientId,
  )
  return row.number
}

/** Deletes letters that are older than the tenant's retention of telemetry. */
export async function deleteExpiredDeadLetters(db: Kysely<Tables>): Promise<void> {
  await sql`
    delete from dead_letters using provider_clients, tenants
    where provider_clients.number = dead_letters.client_number and tenants.id = provider_clients.tenant_id
      and dead_letters.received_at < now() - make_interval(days => tenants.telemetry_retention_days)`.execute(
    db,
  )
}
