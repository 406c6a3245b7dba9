/**
 * A device with a stored session that sends consecutive numbers as telemetry and to itself, answers methods and commands,
 * installs what its desired properties order, and goes from node to node.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import mqtt, { type MqttClient } from 'mqtt'
import type { Cluster } from '../../harness/cluster.ts'

export interface FleetDevice extends AsyncDisposable {
  id: string
  /** Numbers of telemetry that the platform has acknowledged. */
  acknowledged: number[]
  /** Messages to itself that were acknowledged, and all that have arrived. */
  published: number[]
  received: number[]
  /** Payloads of the methods and the commands that it was asked. */
  asked: Set<number>
  commanded: Set<number>
  /** The desired properties that arrived last. */
  desired: Desired | undefined
  /** How often its connection has ended. */
  closes: number
  /** Leaves its node without a word, and connects to the next one. */
  jump(): void
  /** Sends nothing more. @returns once what it has sent is acknowledged */
  rest(): Promise<void>
  /** Sends the next number while it rests. */
  sendOne(): Promise<void>
}

interface Desired {
  $version: number
  /** The release that it is to install. */
  firmware?: { release: string }
}

interface Question {
  correlationId: string
  /** That of a method is an object, that of the command a number. */
  payload: { number: number } | number
}

const PAUSE_MS = 250

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
    // A node without the database refuses to connect for now.
    reconnectOnConnackError: true,
    // A node that hangs accepts connections and does not answer.
    connectTimeout: 5000,
    keepalive: 5,
  })
  const resting = new AbortController()
  const device: FleetDevice = {
    id,
    acknowledged: [],
    published: [],
    received: [],
    asked: new Set(),
    commanded: new Set(),
    desired: undefined,
    closes: 0,
    jump: () => client.stream.destroy(),
    rest: async () => {
      resting.abort()
      await sending
    },
    sendOne: () => sendNumber(client, device),
    [Symbol.asyncDispose]: async () => {
      resting.abort()
      await client.endAsync(true)
    },
  }
  client.on('error', () => {})
  client.on('close', () => device.closes++)
  respond(client, device)
  const topics = ['own', 'methods/+/invoke', 'twin/desired'].map((rest) => `devices/${id}/${rest}`)
  await client.subscribeAsync(topics, { qos: 1 })
  const sending = sendNumbers(client, device, resting.signal)
  // Where the story fails, the client ends before it has sent all.
  sending.catch(() => {})
  return device
}

async function sendNumbers(client: MqttClient, device: FleetDevice, resting: AbortSignal): Promise<void> {
  for (; !resting.aborted; await sleep(PAUSE_MS)) await sendNumber(client, device)
}

async function sendNumber(client: MqttClient, { id, acknowledged, published }: FleetDevice): Promise<void> {
  const number = acknowledged.length
  await client.publishAsync(`devices/${id}/telemetry`, JSON.stringify({ number }), { qos: 1 })
  acknowledged.push(number)
  await client.publishAsync(`devices/${id}/own`, `${number}`, { qos: 1 })
  published.push(number)
}

function respond(client: MqttClient, device: FleetDevice): void {
  const publish = (rest: string, value: unknown) =>
    client.publish(`devices/${device.id}/${rest}`, JSON.stringify(value), { qos: 1 })
  let installed = ''
  const install = ({ firmware }: Desired) => {
    if (!firmware || firmware.release === installed) return
    installed = firmware.release
    for (const firmwareStatus of ['Installing', 'Succeeded']) publish('twin/reported', { firmwareStatus })
  }
  const answer = (numbers: Set<number>, { correlationId, payload }: Question, method: string) => {
    numbers.add(typeof payload === 'number' ? payload : payload.number)
    publish(`methods/${method}/response/${correlationId}`, { status: 200, payload })
  }
  client.on('message', (topic, payload) => {
    const [, , kind, name] = topic.split('/')
    const text = `${payload}`
    if (kind === 'own') device.received.push(Number(text))
    else if (kind === 'twin') install((device.desired = JSON.parse(text)))
    else answer(name === COMMAND ? device.commanded : device.asked, JSON.parse(text), name!)
  })
}

/** The name of the command of the devices' assets. */
export const COMMAND = 'count'
