/**
 * Records when clients were last heard, to within some minutes, and how many messages tenants send. Both are written in
 * batches beside the path: a message costs a look-up in memory. [docs/providers#finding-clients]
 */
import type { Runtime } from '../runtime.ts'
import { createBoundedCache } from '../lib/bounded-cache.ts'
import type { DeviceMessage } from './message.ts'

/** The row of a client is at most so much older than its last message. */
const RESOLUTION_MS = 300_000
const WRITE_EVERY_MS = 10_000
const ROWS_AT_ONCE = 5000
const MAX_CLIENTS = 500_000

export interface Activity extends AsyncDisposable {
  /** @param messages that were committed, as telemetry or as dead letters */
  record(messages: readonly Pick<DeviceMessage, 'device' | 'receivedAtMs'>[]): void
  /** Writes what was recorded so far. */
  flush(): Promise<void>
}

export function createActivity({ pool, log, nodes }: Pick<Runtime, 'pool' | 'log' | 'nodes'>): Activity {
  const writtenMs = createBoundedCache<number, number>(MAX_CLIENTS)
  let heard = new Map<number, number>()
  let counts = new Map<number, number>()
  let countedSinceMs = Date.now()
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  const write = async () => {
    const [clients, tenants] = [[...heard], [...counts]]
    const nowMs = Date.now()
    const seconds = Math.max(1, nowMs - countedSinceMs) / 1000
    ;[heard, counts, countedSinceMs] = [new Map(), new Map(), nowMs]
    try {
      for (let start = 0; start < clients.length; start += ROWS_AT_ONCE)
        await upsertActivity(pool, clients.slice(start, start + ROWS_AT_ONCE))
      if (tenants.length > 0) await upsertRates(pool, nodes.id, { tenants, seconds })
    } catch (error) {
      log.warn({ reason: (error as Error).message }, 'activity of clients cannot be written')
      // The next message of these clients is recorded again.
      for (const [number] of clients) writtenMs.delete(number)
    }
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    return (writing = writing.then(write))
  }

  return {
    record(messages) {
      for (const { device, receivedAtMs } of messages) {
        counts.set(device.tenantNumber, (counts.get(device.tenantNumber) ?? 0) + 1)
        if (receivedAtMs - (writtenMs.get(device.number) ?? 0) < RESOLUTION_MS) continue
        writtenMs.set(device.number, receivedAtMs)
        heard.set(device.number, receivedAtMs)
      }
      timer ??= setTimeout(() => void flush(), WRITE_EVERY_MS)
    },
    flush,
    [Symbol.asyncDispose]: flush,
  }
}

type Pool = Runtime['pool']

/** Clients that were deleted meanwhile are left out. The order avoids a deadlock of two nodes. */
const upsertActivity = (pool: Pool, clients: [number, number][]) =>
  pool.query({
    name: 'upsert-client-activity',
    text: `with unhurried as materialized (
        select set_config('synchronous_commit', 'off', true)
      )
      insert into client_activity as known (client_number, last_message_at)
      select client.number, heard.at from unnest($1::int[], $2::timestamptz[]) as heard (number, at)
      join provider_clients client on client.number = heard.number, unhurried
      order by client.number
      on conflict (client_number) do update set last_message_at = excluded.last_message_at
        where known.last_message_at < excluded.last_message_at`,
    values: [clients.map(([number]) => number), clients.map(([, ms]) => new Date(ms))],
  })

const upsertRates = (
  pool: Pool,
  nodeId: string,
  { tenants, seconds }: { tenants: [number, number][]; seconds: number },
) =>
  pool.query({
    name: 'upsert-ingest-rates',
    text: `insert into ingest_rates (tenant_number, node_id, messages, seconds, ended_at)
      select tenants.number, $1::uuid, sent.messages, $2::real, now()
      from unnest($3::int[], $4::int[]) as sent (tenant_number, messages)
      join tenants on tenants.number = sent.tenant_number
      on conflict (tenant_number, node_id) do update
        set messages = excluded.messages, seconds = excluded.seconds, ended_at = excluded.ended_at`,
    values: [nodeId, seconds, tenants.map(([number]) => number), tenants.map(([, messages]) => messages)],
  })
