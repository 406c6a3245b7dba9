/**
 * A gateway that publishes to a stream, and stores nothing, with its NATS and what a test asks of both:
 *
 *     const streams = await startStreamGateway()
 *     const { device, client } = await streams.connect()
 */
import { jetstream, type JetStreamClient, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { expect } from 'vitest'
import type { Device, DeviceMessage } from '../../src/ingest/message.ts'
import { publishPacket, type RawClient, startGateway, type TestDevice, type TestGateway } from './gateway.ts'
import { type NatsCluster, type NatsServer, startNats, startNatsCluster } from './nats-server.ts'

export const range = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => from + index)
/** @returns a payload for each number */
export const telemetry = (numbers: number[]): string[] => numbers.map((n) => JSON.stringify({ n }))

export interface Sender {
  device: TestDevice
  client: RawClient
}

export interface StreamGateway<Nats = NatsServer> extends AsyncDisposable {
  nats: Nats
  gateway: TestGateway
  /** A new device. */
  connect(): Promise<Sender>
  /** Publishes with QoS 1. @returns once all are acknowledged */
  publish(sender: Sender, payloads: string[], topic?: string): Promise<void>
  /** A message of the device, as a gateway puts it into a batch. */
  makeMessage(device: TestDevice): DeviceMessage
  /** A program beside the platform. */
  useStream(work: (stream: StreamAccess) => Promise<void>): Promise<void>
  /** Resolves once the stream is empty: batches are deleted from it when they are stored. */
  untilStored(): Promise<void>
  /** The numbers of the device's samples named `n`. Those that arrived within a millisecond have no order. */
  readNumbers(device: TestDevice): Promise<unknown[]>
  readTwin(device: TestDevice): Promise<{ reported_version: string; reported: Record<string, unknown> }>
  /** How many partitions each node holds. */
  readOwners(): Promise<Map<string | null, number>>
}

export interface StreamAccess {
  manager: JetStreamManager
  publisher: JetStreamClient
  name: string
  /** Prefix of the subjects of batches. */
  prefix: string
}

export const STREAM_BYTES = 16 * 1024 * 1024

export const startStreamGateway = async (): Promise<StreamGateway> =>
  startGatewayWith(await startNats({ config: 'max_payload: 2MB' }))

/** With three servers of NATS. */
export const startReplicatedGateway = async (): Promise<StreamGateway<NatsCluster>> =>
  startGatewayWith(await startNatsCluster('max_payload: 2MB'))

async function startGatewayWith<Nats extends NatsServer | NatsCluster>(
  nats: Nats,
): Promise<StreamGateway<Nats>> {
  const gateway = await startGateway({
    GANGWAY_ROLES: 'gateway',
    GANGWAY_NATS_URL: nats.url,
    GANGWAY_INGEST: 'stream',
    GANGWAY_STREAM_BYTES: `${STREAM_BYTES}`,
  })
  const { pool } = gateway.database
  const { rows } = await pool.query(`select number from tenants where id = 'default'`)
  let packetId = 0
  const useStream = (work: (stream: StreamAccess) => Promise<void>) => accessStream(nats.url, work)
  return {
    nats,
    gateway,
    connect: async () => {
      const device = await gateway.makeDevice()
      return { device, client: await gateway.raw(device) }
    },
    publish: async ({ device, client }, payloads, topic = 'telemetry') => {
      for (const payload of payloads) {
        packetId = (packetId % 65_000) + 1
        client.send(publishPacket(`devices/${device.id}/${topic}`, { payload, messageId: packetId }))
      }
      for (const _ of payloads) expect((await client.next()).cmd).toBe('puback')
    },
    makeMessage: ({ id, number }) => ({
      device: { number, id, tenantNumber: rows[0].number } as Device,
      topic: `devices/${id}/telemetry`,
      payload: Buffer.from('{}'),
      receivedAtMs: Date.now(),
      packetId: 1,
      isRepeat: false,
    }),
    useStream,
    untilStored: () =>
      useStream(async ({ manager, name }) => {
        await expect.poll(async () => (await manager.streams.info(name)).state.messages).toBe(0)
      }),
    readNumbers: async (device) =>
      (await gateway.samplesOf(device))
        .flatMap(({ name, value }) => (name === 'n' ? [value] : []))
        .toSorted((a, b) => Number(a) - Number(b)),
    readTwin: async ({ number }) =>
      (await pool.query('select * from client_twins where client_number = $1', [number])).rows[0],
    readOwners: async () => {
      const owners = await pool.query(
        `select node_id, count(*)::int as count from ingest_partitions where lane = 'telemetry' group by 1 order by 2 desc, 1`,
      )
      return new Map(owners.rows.map(({ node_id, count }) => [node_id, count]))
    },
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]()
      await nats[Symbol.asyncDispose]()
    },
  }
}

async function accessStream(url: string, work: (stream: StreamAccess) => Promise<void>) {
  const connection = await connect({ servers: url.split(',') })
  try {
    const manager = await jetstreamManager(connection)
    const [name] = await manager.streams.names().next()
    const prefix = (await manager.streams.info(name!)).config.subjects[0]!.replace('.*.*', '')
    await work({ manager, publisher: jetstream(connection), name: name!, prefix })
  } finally {
    await connection.close()
  }
}
