/**
 * The MQTT gateway on a database of its own, with devices and ways to talk to it:
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
import { generate, type Packet, parser } from 'mqtt-packet'
import { readConfig } from '../../src/config.ts'
import { type Context, createContext } from '../../src/context.ts'
import { migrateJobs } from '../../src/jobs/jobs.ts'
import { newKey } from '../../src/lib/ids.ts'
import { startMqtt } from '../../src/mqtt/start.ts'
import { ensureFirstTenant } from '../../src/organizations/first-start.ts'
import { testDatabase, type TestDatabase } from './database.ts'
import { testLog } from './log.ts'

export interface TestDevice {
  id: string
  /** `provider_clients.number` */
  number: number
  key: string
  secondaryKey: string
}

export interface TestGateway extends AsyncDisposable {
  ctx: Context
  database: TestDatabase
  port: number
  makeDevice(id?: string): Promise<TestDevice>
  /** The public MQTT client, not reconnecting by itself. */
  connect(device: TestDevice, options?: IClientOptions): Promise<MqttClient>
  /** A socket that has signed in, for packets that no client would send. */
  raw(device?: TestDevice, options?: RawOptions): Promise<RawClient>
  /** Stops the gateway, with `kill` as if the process had ended, and starts another on the same database. */
  restart(): Promise<void>
}

export interface RawOptions {
  clientId?: string
  clean?: boolean
  keepalive?: number
}

let made = 0

export async function startGateway(environment: Record<string, string> = {}): Promise<TestGateway> {
  const database = await testDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'gangway-mqtt-'))
  const config = readConfig({ GANGWAY_DATA_DIR: dataDir, GANGWAY_MQTT_PORT: '0', GANGWAY_MQTTS_PORT: '0', ...environment })
  const makeContext = () => createContext(config, testLog, { ...database, connection: {} }, [randomBytes(32)])
  let ctx = await makeContext()
  await ensureFirstTenant(ctx.db, config)
  await migrateJobs(ctx.pool, testLog)
  let mqtt = await startMqtt(ctx)
  const port = () => Number(new URL(ctx.endpoints.mqtt!).port)
  return {
    get ctx() {
      return ctx
    },
    get port() {
      return port()
    },
    database,
    makeDevice: (id = `device-${++made}`) => makeDevice(ctx, id),
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
      ctx = await makeContext()
      mqtt = await startMqtt(ctx)
    },
    [Symbol.asyncDispose]: async () => {
      await mqtt[Symbol.asyncDispose]()
      await ctx.outbound.close()
      await database[Symbol.asyncDispose]()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function makeDevice(ctx: Context, id: string): Promise<TestDevice> {
  const [key, secondaryKey] = [newKey(), newKey()]
  const { rows } = await sql<{ number: number }>`
    insert into provider_clients (tenant_id, provider_id, id, organization_id, display_name, on_broker,
      primary_key_hash, secondary_key_hash)
    select 'default', 'mqtt', ${id}, organizations.id, ${id}, true,
      ${await hash(key, { cost: 4 })}, ${await hash(secondaryKey, { cost: 4 })}
    from organizations where tenant_id = 'default' and parent_organization_id is null
    returning number`.execute(ctx.db)
  return { id, key, secondaryKey, number: rows[0]!.number }
}

export interface RawClient {
  socket: Socket
  send(packet: Packet): void
  write(bytes: Uint8Array): void
  /** The next packet that came, in order. */
  next(): Promise<Packet>
  /** Resolves once the server has closed the connection. */
  closed: Promise<void>
  signIn(device: TestDevice, options?: RawOptions): Promise<void>
}

async function rawClient(port: number): Promise<RawClient> {
  const socket = connectSocket(port, '127.0.0.1')
  const reader = parser()
  const packets: Packet[] = []
  const waiting: ((packet: Packet) => void)[] = []
  reader.on('packet', (packet) => {
    const waiter = waiting.shift()
    if (waiter) waiter(packet)
    else packets.push(packet)
  })
  socket.on('data', (chunk) => void reader.parse(chunk))
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  await new Promise<void>((resolve) => void socket.once('connect', () => resolve()))
  const client: RawClient = {
    socket,
    closed,
    send: (packet) => void socket.write(generate(packet)),
    write: (bytes) => void socket.write(bytes),
    next: () => {
      const packet = packets.shift()
      return packet ? Promise.resolve(packet) : new Promise((resolve) => void waiting.push(resolve))
    },
    async signIn(device, options = {}) {
      client.send({
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
      const connack = await client.next()
      if (connack.cmd !== 'connack' || connack.returnCode !== 0) throw new Error(`CONNACK ${JSON.stringify(connack)}`)
    },
  }
  return client
}
