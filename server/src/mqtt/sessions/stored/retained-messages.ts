/** Retained messages of clients, stored in batches. */
import { type Kysely, sql } from 'kysely'
import { transactOnce } from '../../../database/transact-once.ts'
import type { Tables } from '../../../database/tables.ts'
import type { Runtime } from '../../../runtime.ts'
import { MAX_RETAINED_BYTES, MAX_RETAINED_MESSAGES } from '../../connection/limits.ts'
import type { Publication } from '../publication.ts'
import { clientsChanged } from './channels.ts'
import {
  PUBLICATION_COLUMNS,
  type PublicationRow,
  publicationArrays,
  readPublication,
} from './message-rows.ts'
import { SessionLostError } from './stored-sessions.ts'

export interface Retained {
  clientNumber: number
  publication: Publication
}

/** Payload lengths by topic. */
type Lengths = Map<string, number>

/** @returns whether each is stored, or an error */
export const putRetainedMessages = (
  ctx: Pick<Runtime, 'db' | 'nodes'>,
  batch: Retained[],
  patienceMs: number,
): Promise<(boolean | Error)[]> =>
  transactOnce(ctx.db, patienceMs, async (tx) => {
    const clients = await readLengths(tx, batch)
    const outcomes = batch.map(({ clientNumber, publication }) => {
      const lengths = clients.get(clientNumber)
      return lengths ? admit(lengths, publication) : new SessionLostError('The client was deleted.')
    })
    const stored = batch.filter((_, index) => outcomes[index] === true)
    await replaceMessages(tx, latestOfEachTopic(stored))
    const clientNumbers = [...new Set(stored.map(({ clientNumber }) => clientNumber))]
    if (ctx.nodes.peers.exist && clientNumbers.length > 0)
      await clientsChanged.publish(ctx, tx, { clientNumbers })
    return outcomes
  })

/** Locks the clients, so that one node at a time counts their messages. */
async function readLengths(tx: Kysely<Tables>, batch: Retained[]): Promise<Map<number, Lengths>> {
  const numbers = [...new Set(batch.map(({ clientNumber }) => clientNumber))]
  const locked = await sql<{ number: number }>`
    select number from provider_clients where number = any(${numbers}::int[]) order by number
    for no key update`.execute(tx)
  const clients = new Map<number, Lengths>(locked.rows.map(({ number }) => [number, new Map()]))
  const { rows } = await sql<{ client_number: number; topic: string; length: number }>`
    select client_number, topic, octet_length(payload) as length from mqtt_retained_messages
    where client_number = any(${numbers}::int[]) and (expires_at is null or expires_at > now())`.execute(tx)
  for (const { client_number, topic, length } of rows) clients.get(client_number)!.set(topic, length)
  return clients
}

/** Counts the message if it is within the limits. */
function admit(lengths: Lengths, { topic, payload }: Publication): boolean {
  if (payload.length === 0) {
    lengths.delete(topic)
    return true
  }
  let bytes = payload.length - (lengths.get(topic) ?? 0)
  for (const length of lengths.values()) bytes += length
  const topics = lengths.size + (lengths.has(topic) ? 0 : 1)
  if (topics > MAX_RETAINED_MESSAGES || bytes > MAX_RETAINED_BYTES) return false
  lengths.set(topic, payload.length)
  return true
}

const latestOfEachTopic = (batch: Retained[]): Retained[] => [
  ...new Map(batch.map((entry) => [`${entry.clientNumber} ${entry.publication.topic}`, entry])).values(),
]

async function replaceMessages(tx: Kysely<Tables>, batch: Retained[]): Promise<void> {
  if (batch.length === 0) return
  await sql`
    delete from mqtt_retained_messages as message
    using unnest(${clientNumbers(batch)}::int[], ${batch.map(({ publication }) => publication.topic)}::text[])
      as replaced (client_number, topic)
    where message.client_number = replaced.client_number and md5(message.topic) = md5(replaced.topic)`.execute(
    tx,
  )
  const kept = batch.filter(({ publication }) => publication.payload.length > 0)
  if (kept.length === 0) return
  await sql`
    insert into mqtt_retained_messages (client_number, topic, payload, qos, properties, expires_at)
    select client_number, topic, payload, qos, properties, to_timestamp(expires_at_ms / 1000)
    from unnest(${clientNumbers(kept)}::int[], ${publicationArrays(kept.map(({ publication }) => publication))})
      as new (client_number, ${PUBLICATION_COLUMNS})`.execute(tx)
}

const clientNumbers = (batch: Retained[]) => batch.map(({ clientNumber }) => clientNumber)

/** @returns the messages of each client, by topic */
export async function listRetainedMessages(db: Kysely<Tables>, numbers: number[]): Promise<Publication[][]> {
  const { rows } = await sql<PublicationRow & { client_number: number }>`
    select client_number, topic, payload, qos, properties, expires_at from mqtt_retained_messages
    where client_number = any(${[...new Set(numbers)]}::int[]) and (expires_at is null or expires_at > now())
    order by topic`.execute(db)
  const publications = new Map<number, Publication[]>(numbers.map((number) => [number, []]))
  for (const row of rows) publications.get(row.client_number)!.push(readPublication(row, true))
  return numbers.map((number) => publications.get(number)!)
}
