/** Counts what operators watch, of all tenants and nodes. [docs/operating#health] */
import { type Kysely, sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import { formatTimestamp } from '../../http/shapes.ts'
import { countJobs } from '../../jobs/job-records.ts'
import { listCircuits } from '../../jobs/circuits.ts'
import { countDeliveries } from '../../jobs/measure-receivers.ts'
import { firstIdAt } from '../../lib/ids.ts'
import type { Parts } from '../../parts.ts'
import { version } from '../../version.ts'
import { readPackingLag } from '../../timeseries/storage/packed/packing-lag.ts'
import { readStorage } from '../overview/read-overview.ts'
import type { Health } from './schema.ts'

const MAX_RECEIVERS = 100
const DAY_MS = 24 * 60 * 60 * 1000

type HealthContext = Pick<Context, 'config' | 'metrics' | 'nodes' | 'queries'> &
  Pick<Parts, 'ingest' | 'stream'>

/** @param db for expensive reads: its statements count for the tenant of the caller */
export async function readHealth(ctx: HealthContext, db: Kysely<Tables>): Promise<Health> {
  const asOf = new Date()
  return {
    asOf: asOf.toISOString(),
    version,
    nodes: await listNodes(db, ctx.nodes.id),
    ingest: await readIngest(ctx),
    jobs: (await countJobs(db)).map(({ oldest_due_at, oldest_failed_at, ...counts }) => ({
      ...counts,
      oldestDueAt: formatTimestamp(oldest_due_at),
      oldestFailedAt: formatTimestamp(oldest_failed_at),
    })),
    deliveries: (await countDeliveries(db)).map(({ kind, waiting, paused }) => ({
      kind,
      waiting,
      pausedReceivers: paused,
    })),
    receivers: (await listCircuits(db, MAX_RECEIVERS)).map(({ receiver, ...circuit }) => ({
      ...readReceiver(receiver),
      failures: circuit.failures,
      reason: circuit.reason,
      failingSince: circuit.failingSince.toISOString(),
      retryAt: formatTimestamp(circuit.retryAt),
    })),
    deadLetters: await countDeadLetters(db, new Date(asOf.getTime() - DAY_MS)),
    queue: { kind: ctx.config.natsUrl === undefined ? 'log' : 'nats', ...(await countEvents(db)) },
    database: { ...(await readDatabase(db)), replica: await readReplica(ctx) },
    packing: await readPackingLag(db),
    storage: await readStorage(ctx),
  }
}

/** @param name as in `receiverName` */
function readReceiver(name: string) {
  const [, kind = '', ...id] = name.split('/')
  return { kind, id: id.join('/') }
}

/** Lists the nodes that work. */
async function listNodes(db: Kysely<Tables>, ownId: string): Promise<Health['nodes']> {
  const { rows } = await sql<{ id: string; connectedClients: number; messagesPerSecond: number }>`
    select node.id::text, coalesce(client.count, 0) as "connectedClients",
      (select coalesce(round(sum(r.messages / r.seconds)::numeric, 2), 0)::float8 from ingest_rates r
       where r.node_id = node.id and r.ended_at > now() - interval '30 seconds') as "messagesPerSecond"
    from (select id from server_nodes where died_at is null union select ${ownId}::uuid) node
    left join (
      select id, count(*)::int from client_connections, unnest(node_ids) as id group by id
    ) client using (id)
    order by id`.execute(db)
  return rows.map((row) => ({ ...row, isAnswering: row.id === ownId }))
}

async function readIngest({ metrics, ingest, stream }: HealthContext): Promise<Health['ingest']> {
  const { values } = await metrics.ingestBacklog.get()
  return {
    backlog: values.reduce((sum, { value }) => sum + value, 0),
    longestWaitSeconds: Math.round(Math.max(ingest.longestWaitMs(), stream?.longestWaitMs() ?? 0)) / 1000,
  }
}

async function countDeadLetters(db: Kysely<Tables>, since: Date): Promise<Health['deadLetters']> {
  const { rows } = await sql<{ tenantId: string; messages: number }>`
    select client.tenant_id as "tenantId", count(*)::int as messages
    from dead_letters letter join provider_clients client on client.number = letter.client_number
    where letter.id >= ${firstIdAt(since.getTime())}::uuid
    group by 1 order by 2 desc, 1`.execute(db)
  const messages = rows.reduce((sum, row) => sum + row.messages, 0)
  return { messages, tenants: rows, since: since.toISOString() }
}

async function countEvents(db: Kysely<Tables>): Promise<Pick<Health['queue'], 'waiting' | 'oldestAt'>> {
  const { rows } = await sql<{ waiting: number; oldest: Date | null }>`
    select count(*)::int as waiting, min(created_at) as oldest from outbox`.execute(db)
  return { waiting: rows[0]!.waiting, oldestAt: formatTimestamp(rows[0]!.oldest) }
}

async function readDatabase(db: Kysely<Tables>): Promise<Omit<Health['database'], 'replica'>> {
  const { rows } = await sql<Omit<Health['database'], 'replica'>>`
    select current_setting('server_version') as version,
      pg_database_size(current_database())::float8 as bytes,
      (select count(*)::int from pg_stat_activity where datname = current_database()) as connections,
      current_setting('max_connections')::int as "maxConnections",
      (select coalesce(round(max(extract(epoch from clock_timestamp() - xact_start)), 1), 0)::float8
       from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
       and backend_type = 'client backend') as "longestTransactionSeconds"`.execute(db)
  return rows[0]!
}

async function readReplica({ queries }: HealthContext): Promise<Health['database']['replica']> {
  const state = await queries.readReplicaState()
  if (!state) return null
  const { problem = null, lagBytes = null, lagSeconds = null } = state
  return { problem, lagBytes, lagSeconds }
}
