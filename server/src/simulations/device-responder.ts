/** Handles direct methods and desired properties of a simulated device. */
import { isDeepStrictEqual } from 'node:util'
import { patchBetween } from '../assets/properties/patch-between.ts'
import { isTooDeep } from '../lib/json-limits.ts'
import { isProperties, type Properties } from '../providers/twin/merge-patch.ts'
import type { UpdatePlayer } from './firmware/play-updates.ts'
import { answerMethod } from './methods/answer.ts'
import type { SimulatedMethod } from './methods/method.ts'

export interface DeviceResponder {
  /** Topics that the device subscribes to. */
  topics: string[]
  /** Called at each connection; the desired state follows as a message. */
  onConnected(): void
  onMessage(topic: string, payload: Buffer): void
  /** Reports properties that it applied while it was silent. */
  reportPending(): void
}

export interface ResponderOptions {
  id: string
  methods: SimulatedMethod[]
  /** A silent device neither reports nor answers. */
  isSilent(): boolean
  /** Calls back once the message is acknowledged; without a connection it is dropped. */
  publish(topic: string, payload: string, onAcknowledged?: () => void): void
  /** Absent if the device does not play firmware updates. */
  updates?: UpdatePlayer
  /** Aborts when the device is closed. */
  signal: AbortSignal
}

export function createDeviceResponder({
  id,
  methods,
  isSilent,
  publish,
  updates,
  signal,
}: ResponderOptions): DeviceResponder {
  const root = `devices/${id}`
  const desiredTopic = `${root}/twin/desired`
  let desired: Properties = {}
  /** The last reported state, and the last one that the platform acknowledged. */
  let reported: Properties = {}
  let acknowledged: Properties = {}
  let version = -1

  function applyDesired({ $version, ...state }: Properties) {
    // An older state that arrived late. [docs/mqtt#twin]
    if (typeof $version !== 'number' || $version < version) return
    version = $version
    desired = state
    catchUp()
    updates?.applyDesired(state)
  }

  /** Reports the desired values; properties that are no longer desired are removed. [docs/simulations#methods-and-properties] */
  function catchUp() {
    if (isSilent() || isDeepStrictEqual(reported, desired)) return
    const change = patchBetween(reported, desired)
    const sent = desired
    reported = sent
    publish(`${root}/twin/reported`, JSON.stringify(change), () => (acknowledged = sent))
  }

  async function answer(method: string, invocation: Properties) {
    const response = await answerMethod(methods, method, invocation, signal)
    const { correlationId } = invocation
    if (!response || typeof correlationId !== 'string' || isSilent()) return
    publish(`${root}/methods/${method}/response/${correlationId}`, JSON.stringify(response))
  }

  return {
    topics: [desiredTopic, `${root}/methods/+/invoke`],
    onConnected() {
      reported = acknowledged
      version = -1
    },
    onMessage(topic, payload) {
      const message = parseProperties(payload)
      if (!message) return
      if (topic === desiredTopic) return applyDesired(message)
      const method = topic.split('/')[3]
      if (method) void answer(method, message)
    },
    reportPending: catchUp,
  }
}

/** Payloads are not trusted: anyone with the device's key can connect in its place. */
function parseProperties(payload: Buffer): Properties | undefined {
  try {
    const message: unknown = JSON.parse(payload.toString())
    return isProperties(message) && !isTooDeep(message) ? message : undefined
  } catch {
    return undefined
  }
}
