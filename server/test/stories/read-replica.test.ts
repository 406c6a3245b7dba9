/**
 * A server with a read replica: what was acknowledged is in the next answer, whether the replica answers or is away.
 * [docs/cluster#read-replicas]
 */
import { randomBytes } from 'node:crypto'
import { connectAsync, type MqttClient } from 'mqtt'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminPassword, type Api, apiAt, logIn } from '../harness/platform.ts'
import { storedNumbers } from '../harness/publish-numbers.ts'
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts'
import { type Replicated, skipWithoutReplica, startReplicated } from '../harness/streaming-replica.ts'

const skip = skipWithoutReplica('a server with a read replica')
const MESSAGES = 30

let servers: Replicated
let server: ServerProcess
let api: Api
let token: string
let device: MqttClient
beforeAll(async () => {
  if (skip) return
  servers = await startReplicated()
  server = await startServerProcess({
    DATABASE_URL: servers.url,
    GANGWAY_DATABASE_READ_URL: servers.replicaUrl,
    GANGWAY_SECRET_KEY: randomBytes(32).toString('base64'),
  })
  api = apiAt(server.endpoints.http)
  token = await logIn(api, 'admin@example.com', adminPassword)
  const clients = '/v1/providers/mqtt/clients'
  await api('POST', clients, { id: 'device', displayName: 'Device' }, { token })
  const { body } = await api('GET', `${clients}/device/credentials`, undefined, { token })
  device = await connectAsync(server.endpoints.mqtt, {
    clientId: 'device',
    username: 'device',
    password: body.primaryKey,
    reconnectPeriod: 0,
  })
})
afterAll(async () => {
  await device?.endAsync()
  await server?.[Symbol.asyncDispose]()
  await servers?.[Symbol.asyncDispose]()
})

const health = async () => (await api('GET', '/v1/system/health', undefined, { token })).body
const metrics = async () => (await api('GET', '/metrics')).body as string
/** Statements of queries that the replica has executed. */
const countReads = async () => {
  const sql = `select xact_commit::int as reads from pg_stat_database where datname = 'gangway'`
  return (await servers.asSuperuser(sql, 'replica')).rows[0].reads as number
}

async function sendAndRead(first: number) {
  for (let number = first; number < first + MESSAGES; number++) {
    await device.publishAsync('devices/device/telemetry', JSON.stringify({ number }), { qos: 1 })
    expect(await storedNumbers(api, token, 'device')).toContain(number)
  }
}

test.skipIf(skip)('each message is in the answer that follows its acknowledgement', async () => {
  const before = await countReads()
  await sendAndRead(0)
  await expect.poll(countReads).toBeGreaterThan(before)
  expect((await health()).database.replica).toMatchObject({ problem: null })
  expect(await metrics()).toContain('gangway_replica_up 1')
  for (const path of ['/v1/overview', '/v1/telemetry/storage', '/v1/audit-log', '/v1/tree/children'])
    expect([path, (await api('GET', path, undefined, { token })).status]).toEqual([path, 200])
})

test.skipIf(skip)('while the replica is away the database answers, and the server says so', async () => {
  servers.stopReplica()
  await sendAndRead(MESSAGES)
  expect((await health()).database.replica).toEqual({
    problem: expect.stringContaining('It does not answer'),
    lagBytes: null,
    lagSeconds: null,
  })
  expect(await metrics()).toMatch(/gangway_replica_up 0\n[^]*gangway_replica_lag_bytes NaN/i)
  expect((await api('GET', '/readyz')).status).toBe(200)
})

test.skipIf(skip)('once it is back it answers again', async () => {
  servers.startReplica()
  const problem = async () => {
    await storedNumbers(api, token, 'device')
    return (await health()).database.replica.problem
  }
  await expect.poll(problem).toBe(null)
  await sendAndRead(2 * MESSAGES)
})
