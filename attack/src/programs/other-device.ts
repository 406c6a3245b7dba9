/**
 * A device of the other tenant that sends while an attack runs. It runs in a worker, so that work of the attacks on their
 * event loop does not count as latency of the server.
 */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { connectAsync } from 'mqtt'
import type { DeviceAccount } from '../tenant.ts'

export interface Outcome {
  /** The latency of each PUBACK. */
  millis: number[]
  /** How often the connection broke. */
  disconnects: number
}

const EVERY_MS = 20
const MIN_MESSAGES = 10

const port = parentPort!
const { brokerUrl, deviceId, password } = workerData as DeviceAccount
const device = await connectAsync(brokerUrl, { clientId: deviceId, username: deviceId, password })
device.on('error', () => {})
let disconnects = 0
device.on('offline', () => disconnects++)

const publish = (index: number) =>
  device.publishAsync(
    `devices/${deviceId}/telemetry`,
    JSON.stringify({ temperature: 20 + (index % 50), count: index }),
    { qos: 1 },
  )

// The first message of a device creates its series; this growth is no effect of the attack.
await publish(-1)

const over = new AbortController()
void once(port, 'message').then(() => over.abort())
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's port has no origin
port.postMessage('connected')

/** Sends a message every 20 ms, whether or not the previous one was acknowledged. */
const sent: Promise<number>[] = []
while (!over.signal.aborted || sent.length < MIN_MESSAGES) {
  const startMs = performance.now()
  sent.push(publish(sent.length).then(() => performance.now() - startMs))
  await sleep(EVERY_MS)
}
const millis = await Promise.all(sent)
await device.endAsync()
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's port has no origin
port.postMessage({ millis, disconnects } satisfies Outcome)
