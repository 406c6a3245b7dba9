/**
 * The MQTT gateway with its own database, and devices to connect to it:
 *
 *     const gateway = await startGateway()
 *     afterAll(() => gateway[Symbol.asyncDispose]())
 *     const { id, key } = await gateway.makeDevice()
 *     const device = await gateway.connect(id, { password: key })
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect as connectSocket, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hash } from '@node-rs/bcrypt'
import { sql } from 'kysely'
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt'
import { generate, type IConnectPacket, type IPublishPacket, type Packet, parser } from 'mqtt-packet'
import type { Pool } from 'pg'
import { inject, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { type Context, createContext } from '../../src/context.ts'
import { createKysely, createPool } from '../../src/database/pool.ts'
import { newKey } from '../../src/lib/ids.ts'
import { serverLimits, type ServerLimits } from '../../src/mqtt/connection/limits.ts'
import { startMqtt } from '../../src/mqtt/start.ts'
import { openIngestStream, usesStream } from '../../src/ingest/stream/ingest-stream.ts'
import { createParts, gatewayNeeds, type Parts } from '../../src/parts.ts'
import { createTenant } from '../../src/organizations/tenants/create-tenant.ts'
import { platformDatabase, type TestDatabase } from './database.ts'
import { testLog } from './log.ts'
import { execute } from './test-server.ts'
import { allSamples } from './sample-tables.ts'

export interface TestDevice {
  id: string
  /** `provider_clients.number` */
  number: number
  key: string
  secondaryKey: string
}

export interface TestGateway extends AsyncDisposable {
  ctx: Context
  parts: Parts
  database: TestDatabase
  secretKeys: Buffer[]
  port: number
  makeDevice(id?: string): Promise<TestDevice>
  /** A device of a tenant of its own. */
  makeStranger(): Promise<TestDevice>
  /** The public MQTT client, not reconnecting by itself. */
  connect(device: TestDevice, options?: IClientOptions): Promise<MqttClient>
  /** An authenticated socket, for packets that no client library would send. */
  raw(device?: TestDevice, options?: RawOptions): Promise<RawClient>
  /** Stops the gateway and starts another on the same database. */
  restart(): Promise<void>
  /**
   * Starts another gateway on the same database while this one is as good as dead: from now on nothing that it does
   * reaches the database. Its connections stay open until the test destroys them.
   */
  kill(): Promise<void>
  /** Stops the killed gateways, which hold connections to the database. Their late writes reach it then. */
  stopKilled(): Promise<void>
  /** Lets telemetry wait for its commit until `release` is called. */
  holdCommits(): Promise<{ release(): Promise<void> }>
  /** Waits until so many messages wait for their commit. */
  backlogReaches(messages: number): Promise<void>
  /** Cuts all connections to the database and refuses new ones until `back` is called. */
  loseDatabase(): Promise<{ back(): Promise<void> }>
  /** Waits until the stored connection state of a device is as expected. */
  connectionOf(device: TestDevice, isExpected: (row: ConnectionRow) => boolean): Promise<ConnectionRow>
  /** Dead letters of a device, newest first. */
  deadLettersOf(
    device: TestDevice,
  ): Promise<{ reason: string; topic: string; payload: Buffer; message: string }[]>
  /** Stored samples of a device, oldest first. */
  samplesOf(device: TestDevice, type?: string): Promise<{ name: string; time: Date; value: unknown }[]>
}

export type RawOptions = Partial<IConnectPacket>

let made = 0

/**
 * @param smallLimits limits of all connections together, in place of those of a server
 * @param beside another node on the same database; stop the new one first
 */
export async function startGateway(
  environment: Record<string, string> = {},
  smallLimits: Partial<ServerLimits> = {},
  beside?: TestGateway,
): Promise<TestGateway> {
  const database = beside?.database ?? (await platformDatabase())
  const dataDir = await mkdtemp(join(tmpdir(), 'gangway-mqtt-'))
  const config = readConfig({
    GANGWAY_DATA_DIR: dataDir,
    GANGWAY_MQTT_PORT: '0',
    GANGWAY_MQTTS_PORT: '0',
    GANGWAY_HTTPS_PORT: '0',
    // A node with a part of the roles needs it; the pool is that of the test.
    DATABASE_URL: database.url,
    ...environment,
  })
  const secretKeys = beside?.secretKeys ?? [randomBytes(32)]
  const limits = { ...serverLimits, ...smallLimits }
  let open: Pick<TestDatabase, 'pool' | 'db' | 'queryPool'> = beside ? openPool(database) : database
  const killed: (() => Promise<void>)[] = []
  const stopKilled = async () => {
    for (const stop of killed.splice(0)) await stop()
  }
  const makeContext = () => createContext(config, testLog, open, secretKeys)
  let ctx = await makeContext()
  let { parts, mqtt } = await startNode(ctx, limits)
  const port = () => Number(new URL(ctx.endpoints.mqtt!).port)
  return {
    get ctx() {
      return ctx
    },
    get parts() {
      return parts
    },
    get port() {
      return port()
    },
    database,
    secretKeys,
    makeDevice: (id = `device-${++made}`) => makeDevice(ctx, id),
    makeStranger: () => makeStranger(ctx, `stranger-${++made}`),
    connect: (device, options) =>
      connectAsync(`mqtt://127.0.0.1:${port()}`, {
        username: device.id,
        password: device.key,
        clientId: device.id,
        reconnectPeriod: 0,
        ...options,
      }),
    async raw(device, options) {
      const client = await rawClient(port())
      if (device) await client.signIn(device, options)
      return client
    },
    async restart() {
      await mqtt[Symbol.asyncDispose]()
      await ctx.attempts[Symbol.asyncDispose]()
      ctx = await makeContext()
      ;({ parts, mqtt } = await startNode(ctx, limits))
    },
    async kill() {
      const restore = breakPool(ctx.pool)
      const [dead, deadContext] = [mqtt, ctx]
      killed.push(async () => {
        restore()
        await dead[Symbol.asyncDispose]()
        await deadContext.attempts[Symbol.asyncDispose]()
        await deadContext.outbound.close()
        if (deadContext.pool !== database.pool) await deadContext.pool.end()
      })
      open = openPool(database)
      ctx = await makeContext()
      ;({ parts, mqtt } = await startNode(ctx, limits))
    },
    stopKilled,
    holdCommits: () => holdCommits(database),
    backlogReaches: (messages) => awaitBacklog(ctx, messages),
    loseDatabase: () => loseDatabase(database),
    connectionOf: (device, isExpected) => awaitConnection(database, device, isExpected),
    deadLettersOf: async ({ number }) =>
      (
        await database.pool.query('select * from dead_letters where client_number = $1 order by id desc', [
          number,
        ])
      ).rows,
    samplesOf: async ({ id }, type = 'telemetry') =>
      (await database.pool.query(samplesQuery, [id, type])).rows,
    [Symbol.asyncDispose]: async () => {
      await mqtt[Symbol.asyncDispose]()
      await ctx.attempts[Symbol.asyncDispose]()
      await ctx.outbound.close()
      if (ctx.pool !== database.pool) await ctx.pool.end()
      await stopKilled()
      if (!beside) await database[Symbol.asyncDispose]()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Starts the parts of a server that take and store messages, in its order. */
async function startNode(
  ctx: Context,
  limits: ServerLimits,
): Promise<{ parts: Parts; mqtt: AsyncDisposable }> {
  const { config } = ctx
  const stream = usesStream(config) ? await openIngestStream({ ...ctx, config }) : undefined
  const parts: Parts = { ...createParts(ctx), stream }
  const mqtt = await startMqtt(ctx, gatewayNeeds(parts), { limits })
  const consumer = config.roles.has('ingest') ? await stream?.consume() : undefined
  return {
    parts,
    mqtt: {
      [Symbol.asyncDispose]: async () => {
        await consumer?.[Symbol.asyncDispose]()
        await mqtt[Symbol.asyncDispose]()
        await stream?.[Symbol.asyncDispose]()
      },
    },
  }
}

/** As each server has its own. */
function openPool({ url, queryPool }: TestDatabase) {
  const pool = createPool({ connectionString: url }, testLog, { max: 10 })
  return { pool, db: createKysely(pool), queryPool }
}

/** Every use of the pool fails from now on. @returns a function that undoes this */
function breakPool(pool: Pool): () => void {
  const { connect } = pool
  const broken = (callback?: (error: Error) => void) => {
    const error = new Error('The process was killed.')
    if (!callback) return Promise.reject(error)
    process.nextTick(callback, error)
    return undefined
  }
  pool.connect = broken as Pool['connect']
  return () => void (pool.connect = connect)
}

const samplesQuery = `
  select series.name, sample.time, sample.value from series
  join ${allSamples} as sample on sample.series_number = series.number
  where series.owner_id = $1 and series.type = $2 order by sample.time, series.name`

async function loseDatabase({ url }: TestDatabase) {
  const server = inject('testServer').url
  const name = new URL(url).pathname.slice(1)
  await execute(server, `alter database ${name} with allow_connections false`)
  await execute(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  return {
    back: async () => void (await execute(server, `alter database ${name} with allow_connections true`)),
  }
}

/** Every message that is stored as samples needs this table. */
async function holdCommits({ pool }: TestDatabase) {
  const holder = await pool.connect()
  await holder.query('begin; lock table sample_rows in share mode')
  return {
    release: async () => {
      await holder.query('commit')
      holder.release()
    },
  }
}

const OFTEN = { interval: 20 }

async function awaitBacklog({ metrics }: Context, messages: number) {
  await vi.waitFor(async () => {
    const { values } = await metrics.ingestBacklog.get()
    if (values[0]!.value < messages) throw new Error(`still ${values[0]!.value} messages`)
  }, OFTEN)
}

interface ConnectionRow {
  connected: boolean
  node_ids: string[]
  remote_address: string | null
  disconnect_reason: string | null
  disconnect_message: string | null
  refused_reason: string | null
}

async function awaitConnection(
  { pool }: TestDatabase,
  { number }: TestDevice,
  isExpected: (row: ConnectionRow) => boolean,
) {
  return vi.waitFor(async () => {
    const { rows } = await pool.query<ConnectionRow>(
      `select *, node_ids && array(select id from server_nodes where died_at is null) as connected
       from client_connections where client_number = $1`,
      [number],
    )
    if (rows[0] && isExpected(rows[0])) return rows[0]
    throw new Error(`still ${JSON.stringify(rows[0])}`)
  }, OFTEN)
}

async function makeStranger(ctx: Context, id: string): Promise<TestDevice> {
  const administrator = { displayName: id, email: `${id}@example.com`, password: newKey() }
  await ctx.db
    .transaction()
    .execute((tx) => createTenant(tx, { id, displayName: id, plan: 'standard', administrator }))
  return makeDevice(ctx, id, id)
}

async function makeDevice(ctx: Context, id: string, tenantId = 'default'): Promise<TestDevice> {
  const [key, secondaryKey] = [newKey(), newKey()]
  const { rows } = await sql<{ number: number }>`
    insert into provider_clients (tenant_id, provider_id, id, organization_id, display_name, on_broker,
      primary_key_hash, secondary_key_hash)
    select ${tenantId}, 'mqtt', ${id}, organizations.id, ${id}, true,
      ${await hash(key, { cost: 4 })}, ${await hash(secondaryKey, { cost: 4 })}
    from organizations where tenant_id = ${tenantId} and parent_organization_id is null
    returning number`.execute(ctx.db)
  return { id, key, secondaryKey, number: rows[0]!.number }
}

export interface RawClient {
  socket: Socket
  send(packet: Packet): void
  write(bytes: Uint8Array): void
  /** The next received packet, in order. */
  next(): Promise<Packet>
  /** All packets that were received and not read yet. */
  received(): Packet[]
  /** Resolves once the server has closed the connection. */
  closed: Promise<void>
  signIn(device: TestDevice, options?: RawOptions): Promise<void>
}

export const connectPacket = (device: TestDevice, options?: RawOptions): IConnectPacket => ({
  cmd: 'connect',
  protocolId: 'MQTT',
  protocolVersion: 4,
  clientId: device.id,
  clean: true,
  keepalive: 60,
  username: device.id,
  password: Buffer.from(device.key),
  ...options,
})

/** A message with QoS 1. */
export const publishPacket = (topic: string, options: Partial<IPublishPacket> = {}): IPublishPacket => ({
  cmd: 'publish',
  topic,
  payload: 'hello',
  qos: 1,
  messageId: 1,
  dup: false,
  retain: false,
  ...options,
})

async function rawClient(port: number): Promise<RawClient> {
  const socket = connectSocket(port, '127.0.0.1')
  const packets: Packet[] = []
  const waiting: ((packet: Packet) => void)[] = []
  const readAs = (version: number) =>
    parser({ protocolVersion: version }).on('packet', (packet) => {
      const waiter = waiting.shift()
      if (waiter) waiter(packet)
      else packets.push(packet)
    })
  let protocolVersion = 4
  let reader = readAs(protocolVersion)
  socket.on('data', (chunk) => void reader.parse(chunk))
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  await new Promise<void>((resolve) => void socket.once('connect', () => resolve()))
  const client: RawClient = {
    socket,
    closed,
    send: (packet) => void socket.write(generate(packet, { protocolVersion })),
    write: (bytes) => void socket.write(bytes),
    received: () => packets.splice(0),
    next: () => {
      const packet = packets.shift()
      return packet ? Promise.resolve(packet) : new Promise((resolve) => void waiting.push(resolve))
    },
    async signIn(device, options) {
      protocolVersion = options?.protocolVersion ?? 4
      reader = readAs(protocolVersion)
      client.send(connectPacket(device, options))
      const connack = await Promise.race([client.next(), closed])
      if (connack?.cmd !== 'connack' || (connack.returnCode ?? connack.reasonCode) !== 0)
        throw new Error(`CONNACK ${JSON.stringify(connack)}`)
    },
  }
  return client
}
