/** Stores of MQTT sessions, each as on a node of its own, on one database. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { createStoredSessions } from '../../src/mqtt/sessions/stored/create-stored-sessions.ts'
import type { Publication, Qos } from '../../src/mqtt/sessions/publication.ts'
import type {
  OpenRequest,
  Receiver,
  SessionKey,
  StoredSessions,
} from '../../src/mqtt/sessions/stored/stored-sessions.ts'
import { createNodes, joinNodes, type Nodes } from '../../src/nodes/nodes.ts'
import { platformDatabase, type TestDatabase } from './database.ts'
import { testLog } from './log.ts'

export interface StoreNode extends AsyncDisposable {
  store: StoredSessions
  nodes: Nodes
  /** Names of events with their number. */
  events: string[]
  /** Ends the node without ending its sessions. */
  die(): Promise<void>
}

export interface StoreWorld extends AsyncDisposable {
  database: TestDatabase
  /** @returns their numbers */
  makeClients(count: number): Promise<number[]>
  /** @param db in place of the database, for faults */
  startNode(db?: TestDatabase['db']): Promise<StoreNode>
}

export async function startStoreWorld(): Promise<StoreWorld> {
  const database = await platformDatabase()
  return {
    database,
    makeClients: (count) => makeClients(database, count),
    startNode: (db = database.db) => startNode(database, db),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

async function makeClients({ db }: TestDatabase, count: number): Promise<number[]> {
  const ids = Array.from({ length: count }, () => randomUUID())
  const { rows } = await sql<{ number: number }>`
    insert into provider_clients (tenant_id, provider_id, id, organization_id, display_name, on_broker)
    select 'default', 'mqtt', client, organizations.id, client, true from unnest(${ids}::text[]) as client, organizations
    where tenant_id = 'default' and parent_organization_id is null returning number`.execute(db)
  return rows.map(({ number }) => number)
}

async function startNode({ pool }: TestDatabase, db: TestDatabase['db']): Promise<StoreNode> {
  const nodes = createNodes({ pool, db, log: testLog })
  const events: string[] = []
  const store = createStoredSessions(
    { db, nodes, log: testLog },
    {
      onClientChanged: (number) => void events.push(`client ${number}`),
      onEvicted: (number) => void events.push(`evicted ${number}`),
      onAnyClientChanged: () => void events.push('any client'),
      onNewMessages: (number) => void events.push(`messages ${number}`),
      onLost: (number) => void events.push(`lost ${number}`),
    },
  )
  const joined = await joinNodes(nodes)
  const die = async () => {
    await store[Symbol.asyncDispose]()
    await joined[Symbol.asyncDispose]()
  }
  return { store, nodes, events, die, [Symbol.asyncDispose]: die }
}

export const publication = (topic: string, properties: Partial<Publication> = {}): Publication => ({
  topic,
  payload: Buffer.from(`payload of ${topic}`),
  qos: 1,
  retain: false,
  ...properties,
})

export const openRequest = (clientNumber: number, properties: Partial<OpenRequest> = {}): OpenRequest => ({
  clientNumber,
  clientId: 'main',
  cleanStart: false,
  expirySeconds: 3600,
  ...properties,
})

export const toReceiver = ({ number }: SessionKey, qos: Qos = 1): Receiver => ({ number, qos })
