/** A device with a stored session that sends telemetry and messages to itself, answers methods, and goes from node to node. */
import { setTimeout as sleep } from 'node:timers/promises'
import mqtt from 'mqtt'
import type { Cluster } from '../../harness/cluster.ts'

export interface FleetDevice {
  id: string
  /** Numbers of telemetry that the platform has acknowledged. */
  acknowledged: number[]
  /** Messages to itself that were acknowledged, and all that have arrived. */
  published: number[]
  received: number[]
  /** Payloads of the methods that it was asked. */
  asked: number[]
  /** Sends nothing more; resolves when what it has sent to itself has arrived. */
  rest(): Promise<void>
  end(): Promise<void>
}

const PAUSE_MS = 200

interface Options {
  id: string
  key: string
  /** The node that it connects to first. */
  first: number
}

export async function startFleetDevice(cluster: Cluster, { id, key, first }: Options): Promise<FleetDevice> {
  const servers = cluster.nodes.map(({ endpoints }) => ({
    host: '127.0.0.1',
    port: Number(new URL(endpoints.mqtt).port),
  }))
  const client = mqtt.connect({
    protocol: 'mqtt',
    servers: [...servers.slice(first), ...servers.slice(0, first)],
    clientId: id,
    username: id,
    password: key,
    clean: false,
    resubscribe: false,
    reconnectPeriod: 100,
    // A node that hangs accepts connections and does not answer.
    connectTimeout: 2000,
    keepalive: 2,
  })
  client.on('error', () => {})
  const device = {
    id,
    acknowledged: [] as number[],
    published: [] as number[],
    received: [] as number[],
    asked: [] as number[],
  }
  client.on('message', (topic, payload) => {
    if (!topic.endsWith('/invoke')) return void device.received.push(Number(`${payload}`))
    const { correlationId, payload: number } = JSON.parse(`${payload}`)
    if (!device.asked.includes(number)) device.asked.push(number)
    const answer = JSON.stringify({ status: 200, payload: number })
    client.publish(`devices/${id}/methods/m/response/${correlationId}`, answer, { qos: 1 })
  })
  await client.subscribeAsync([`devices/${id}/own`, `devices/${id}/methods/+/invoke`], { qos: 1 })

  const resting = new AbortController()
  const send = async () => {
    for (let number = 0; !resting.signal.aborted; number++) {
      await client.publishAsync(`devices/${id}/telemetry`, JSON.stringify({ number }), { qos: 1 })
      device.acknowledged.push(number)
      await client.publishAsync(`devices/${id}/own`, `${number}`, { qos: 1 })
      device.published.push(number)
      await sleep(PAUSE_MS)
    }
  }
  const sending = send()
  return {
    ...device,
    rest: async () => {
      resting.abort()
      await sending
      while (device.received.at(-1) !== device.published.at(-1)) await sleep(PAUSE_MS)
    },
    end: () => client.endAsync(),
  }
}
