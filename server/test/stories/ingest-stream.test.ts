/**
 * Messages of devices pass a stream between a gateway and nodes that store them, and any of them dies meanwhile: every
 * acknowledged message is stored, once. [docs/stream#what-devices-see]
 */
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { jetstreamManager, type StreamInfo } from '@nats-io/jetstream'
import { expect, test, vi } from 'vitest'
import { connectionUrl } from '../../src/database/embedded/connection.ts'
import { startEmbeddedDatabase } from '../../src/database/embedded/start.ts'
import { createSealer } from '../../src/lib/seal.ts'
import { testDatabase } from '../harness/database.ts'
import { testLog } from '../harness/log.ts'
import { type NatsServer, skipWithoutNats, startNats, startNatsCluster } from '../harness/nats-server.ts'
import { adminPassword, type Api, apiAt, logIn } from '../harness/platform.ts'
import { expectStoredOnce, publishNumbers, untilAllAcknowledge } from '../harness/publish-numbers.ts'
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts'

const skip = skipWithoutNats('nodes that die around a stream')

const DEVICES = 4
const JETSTREAM = 'max_payload: 2MB'
const STREAM_BYTES = `${64 * 1024 * 1024}`

interface Running {
  api: Api
  token: string
  publishers: ReturnType<typeof publishNumbers>[]
}

/** @param office a node with the API */
async function startPublishers(office: ServerProcess, mqttUrl: string): Promise<Running> {
  const api = apiAt(office.endpoints.http)
  const token = await logIn(api, 'admin@example.com', adminPassword)
  const clients = '/v1/providers/mqtt/clients'
  const publishers: Running['publishers'] = []
  for (let index = 0; index < DEVICES; index++) {
    const deviceId = `stream-${index}`
    await api('POST', clients, { id: deviceId, displayName: deviceId }, { token })
    const { primaryKey } = (await api('GET', `${clients}/${deviceId}/credentials`, undefined, { token })).body
    publishers.push(publishNumbers(mqttUrl, { deviceId, primaryKey }, index * 1_000_000))
  }
  return { api, token, publishers }
}

async function readStream({ api, token }: Running) {
  const { body } = await api('GET', '/v1/overview', undefined, { token })
  return body.stream
}

async function expectNothingLost(running: Running, natsUrl: string) {
  const sent = await Promise.all(running.publishers.map((publisher) => publisher.stop()))
  const connection = await connect({ servers: natsUrl.split(',') })
  await expect.poll(async () => (await readStreamInfo(connection)).state.messages).toBe(0)
  await connection.close()
  const isWaiting = ({ oldestAt }: { oldestAt: string | null }) => oldestAt !== null
  await expect.poll(async () => (await readStream(running)).partitions.filter(isWaiting)).toEqual([])
  for (const device of sent) await expectStoredOnce(running.api, running.token, device)
}

test.skipIf(skip)('ingest nodes, the gateway and NATS are killed while devices publish', async () => {
  await using database = await testDatabase()
  await using nats = await startNats({ config: JETSTREAM })
  const environment = {
    DATABASE_URL: database.url,
    GANGWAY_NATS_URL: nats.url,
    GANGWAY_SECRET_KEY: randomBytes(32).toString('base64'),
    GANGWAY_INGEST: 'stream',
    GANGWAY_STREAM_BYTES: STREAM_BYTES,
  }
  await using office = await startServerProcess({ ...environment, GANGWAY_ROLES: 'api,worker' })
  await using gateway = await startServerProcess({ ...environment, GANGWAY_ROLES: 'gateway' })
  await using one = await startServerProcess({ ...environment, GANGWAY_ROLES: 'ingest' })
  await using other = await startServerProcess({ ...environment, GANGWAY_ROLES: 'ingest' })
  const running = await startPublishers(office, gateway.endpoints.mqtt)
  for (const victim of [one, gateway, other]) {
    await untilAllAcknowledge(running.publishers)
    await victim.kill('SIGKILL')
    if (victim !== gateway) await untilAllAcknowledge(running.publishers)
    await victim.start()
  }
  await untilAllAcknowledge(running.publishers)
  await nats.kill()
  await nats.start()
  await untilAllAcknowledge(running.publishers)
  // An orderly stop, as in a rolling restart.
  for (const server of [one, other]) {
    expect(await server.kill('SIGTERM')).toBe(0)
    await server.start()
  }
  await untilAllAcknowledge(running.publishers)
  await expectNothingLost(running, nats.url)
  // The node that started last gets its share once the other one has released it.
  await expect
    .poll(async () => {
      const { partitions, state } = await readStream(running)
      return { state, nodes: new Set(partitions.map(({ nodeId }: { nodeId: string }) => nodeId)).size }
    })
    .toEqual({ state: 'ok', nodes: 2 })
})

test.skipIf(skip)(
  'the database is stopped while devices publish: they go on being acknowledged',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'gangway-stream-'))
    await chmod(dataDir, 0o711)
    const sealer = createSealer([randomBytes(32)])
    const start = () => startEmbeddedDatabase({ dataDir, log: testLog, sealer })
    let database = await start()
    await database.keepPassword(sealer)
    try {
      await using nats = await startNats({ config: JETSTREAM })
      await using server = await startServerProcess({
        DATABASE_URL: connectionUrl(database.connection),
        GANGWAY_NATS_URL: nats.url,
        GANGWAY_INGEST: 'stream',
        GANGWAY_STREAM_BYTES: STREAM_BYTES,
      })
      const running = await startPublishers(server, server.endpoints.mqtt)
      await untilAllAcknowledge(running.publishers)
      await database[Symbol.asyncDispose]()
      for (let round = 0; round < 3; round++) await untilAllAcknowledge(running.publishers)
      const readiness = await running.api('GET', '/readyz')
      expect(readiness).toMatchObject({ status: 503, body: { database: false, stream: 'ok' } })
      database = await start()
      await untilAllAcknowledge(running.publishers)
      await expectNothingLost(running, nats.url)
    } finally {
      await database[Symbol.asyncDispose]()
      await rm(dataDir, { recursive: true, force: true })
    }
  },
)

test.skipIf(skip)(
  'one of three NATS servers is killed while devices publish: the stream goes on',
  async () => {
    await using database = await testDatabase()
    await using cluster = await startNatsCluster(JETSTREAM)
    await using server = await startServerProcess({
      DATABASE_URL: database.url,
      GANGWAY_NATS_URL: cluster.url,
      GANGWAY_INGEST: 'stream',
      GANGWAY_STREAM_BYTES: STREAM_BYTES,
    })
    const running = await startPublishers(server, server.endpoints.mqtt)
    await untilAllAcknowledge(running.publishers)
    // The first node may find servers that do not know each other yet.
    await expect.poll(async () => (await readStream(running)).replicas).toBe(3)
    const leader = await findLeader(cluster.servers)
    await leader.kill()
    await untilAllAcknowledge(running.publishers)
    await leader.start()
    await untilAllAcknowledge(running.publishers)
    await expectNothingLost(running, cluster.url)
  },
)

/** Servers that have no leader yet do not answer. */
const readStreamInfo = (connection: NatsConnection): Promise<StreamInfo> =>
  vi.waitFor(async () => {
    const { streams } = await jetstreamManager(connection)
    const names = await streams.names().next()
    return streams.info(names.find((name) => name.startsWith('GANGWAY_INGEST_'))!)
  })

async function findLeader(servers: NatsServer[]): Promise<NatsServer> {
  const connection = await connect({ servers: servers.map(({ url }) => url) })
  const { cluster } = await readStreamInfo(connection)
  await connection.close()
  return servers[Number(cluster!.leader!.replace('nats-', ''))]!
}

test.skipIf(skip)('a NATS that cannot keep the stream is refused at the start', async () => {
  await using database = await testDatabase()
  const environment = {
    DATABASE_URL: database.url,
    GANGWAY_SECRET_KEY: randomBytes(32).toString('base64'),
    GANGWAY_INGEST: 'stream',
  }
  const start = async (nats: NatsServer, bytes = STREAM_BYTES) => {
    const server = { ...environment, GANGWAY_NATS_URL: nats.url, GANGWAY_STREAM_BYTES: bytes }
    await (await startServerProcess(server))[Symbol.asyncDispose]()
  }
  await using small = await startNats()
  await expect(start(small)).rejects.toThrow('its max_payload is 1048576, but has to be 1500000 or more')
  await using tight = await startNats({ config: JETSTREAM })
  await expect(start(tight, '900000000000000')).rejects.toThrow(
    'JetStream has no 900000000000000 bytes left for the stream',
  )
  await using plain = await startNats({ config: JETSTREAM, hasJetStream: false })
  await expect(start(plain)).rejects.toThrow('JetStream is not enabled there')
})
