/** The server's own push without a database before it, and a bare loop over the same sockets. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { RELIABLE } from '@gangway/server/dist/push/connections/protocol.js'
import type { Connection, Push } from '@gangway/server/dist/push/state.js'
import { openConnection } from '@gangway/server/dist/push/connections/open-connection.js'
import { createPush, type PushNeeds } from '@gangway/server/dist/push/push.js'
import { putSubscription } from '@gangway/server/dist/push/subscriptions/subscription.js'
import { createSockets } from '@gangway/server/dist/push/connections/upgrade.js'
import { pino } from 'pino'
import { ignoreInterrupt, serve } from './serve.ts'

const TENANT = 'default'
const ASSET = 'pump'

/** Microseconds of a clock that all processes of the machine share. */
const nowMicros = (): number => Number(process.hrtime.bigint() / 1000n)

let push: Push
const connections: Connection[] = []

const handlers = {
  /** @returns the port; each connection subscribes to the one asset */
  async listen() {
    push = createPush({
      log: pino({ level: 'silent' }),
      nodes: { transport: { subscribe: () => {} } },
    } as unknown as PushNeeds)
    const sockets = createSockets()
    const server = createServer().on('upgrade', (request, stream, head) =>
      sockets.handleUpgrade(request, stream, head, (socket) => {
        const negotiated = {
          negotiatedId: `${connections.length}`,
          tenantId: TENANT,
          userId: `${connections.length}`,
          signInId: undefined,
          tokenId: undefined,
          expiresAt: undefined,
        }
        const connection = openConnection(push, negotiated, { protocol: RELIABLE, socket, stream })
        const body = { connectionId: connection.id, topic: 'telemetry' as const, assets: [ASSET] }
        putSubscription(push, { connection, body, owners: [{ ownerType: 'asset', ownerId: ASSET }] })
        connections.push(connection)
      }),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  },

  /** Sends one sample after the other to all, as fast as the sockets accept them. @returns the number of messages */
  async sendFor(variant: Variant, seconds: number) {
    const untilMs = performance.now() + seconds * 1000
    let sent = 0
    while (performance.now() < untilMs) {
      send[variant]()
      sent += connections.length
      do await nextTurn()
      while (connections.some(({ socket }) => socket!.bufferedAmount > 0))
    }
    return sent
  },

  /** Sends samples at a steady rate. @returns the number of messages */
  async sendAtRate(variant: Variant, samplesPerSecond: number, seconds: number) {
    const samples = samplesPerSecond * seconds
    const startedMs = performance.now()
    for (let sample = 0; sample < samples; sample++) {
      const waitMs = startedMs + (sample / samplesPerSecond) * 1000 - performance.now()
      if (waitMs > 0) await sleep(waitMs)
      send[variant]()
    }
    return samples * connections.length
  },
}

type Variant = 'push' | 'bare'
const send: Record<Variant, () => void> = { push: sendSample, bare: sendBare }

function sendSample(): void {
  push.publishSamples([
    {
      tenantId: TENANT,
      tenantNumber: 1,
      ownerType: 'asset',
      ownerId: ASSET,
      componentId: '',
      name: 'temperature',
      type: 'telemetry',
      timeMs: Date.now(),
      value: nowMicros(),
    },
  ])
}

/** Sends the same text to every socket: the unavoidable cost. */
function sendBare(): void {
  const subscriptionId = '00000000-0000-7000-8000-000000000000'
  const data = { topic: 'telemetry', subscriptionId, assetId: ASSET, componentId: null }
  const signal = { timeseriesName: 'temperature', timeseriesType: 'telemetry' }
  const text = JSON.stringify({
    sequenceId: 0,
    type: 'message',
    from: 'server',
    dataType: 'json',
    data: { ...data, ...signal, value: nowMicros(), time: new Date().toISOString() },
  })
  for (const { socket } of connections) socket!.send(text)
}

export type PushHubProgram = typeof handlers

ignoreInterrupt()
serve(handlers)
