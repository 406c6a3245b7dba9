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

interface State extends ResponderOptions {
  /** Prefix of the device's topics. */
  readonly root: string
  version: number
  desired: Properties
  /** The last reported state, and the last one that the platform acknowledged. */
  reported: Properties
  acknowledged: Properties
}

export function createDeviceResponder(options: ResponderOptions): DeviceResponder {
  const root = `devices/${options.id}`
  const responder: State = { ...options, root, version: -1, desired: {}, reported: {}, acknowledged: {} }
  return {
    topics: [desiredTopic(responder), `${root}/methods/+/invoke`],
    onConnected() {
      responder.reported = responder.acknowledged
      responder.version = -1
    },
    onMessage: (topic, payload) => handleMessage(responder, topic, payload),
    reportPending: () => reportDesired(responder),
  }
}

const desiredTopic = ({ root }: State) => `${root}/twin/desired`

function handleMessage(responder: State, topic: string, payload: Buffer) {
  const message = parseProperties(payload)
  if (!message) return
  if (topic === desiredTopic(responder)) return applyDesired(responder, message)
  const method = topic.split('/')[3]
  if (method) void respond(responder, method, message)
}

function applyDesired(responder: State, { $version, ...state }: Properties) {
  // An older state that arrived late. [docs/mqtt#twin]
  if (typeof $version !== 'number' || $version < responder.version) return
  responder.version = $version
  responder.desired = state
  reportDesired(responder)
  responder.updates?.applyDesired(state)
}

/** Reports the desired values; properties that are no longer desired are removed. [docs/simulations#methods-and-properties] */
function reportDesired(responder: State) {
  const { root, desired, reported } = responder
  if (responder.isSilent() || isDeepStrictEqual(reported, desired)) return
  const change = patchBetween(reported, desired)
  responder.reported = desired
  responder.publish(`${root}/twin/reported`, JSON.stringify(change), () => (responder.acknowledged = desired))
}

async function respond(
  { root, methods, signal, isSilent, publish }: State,
  method: string,
  invocation: Properties,
) {
  const response = await answerMethod(methods, method, invocation, signal)
  const { correlationId } = invocation
  if (!response || typeof correlationId !== 'string' || isSilent()) return
  publish(`${root}/methods/${method}/response/${correlationId}`, JSON.stringify(response))
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
