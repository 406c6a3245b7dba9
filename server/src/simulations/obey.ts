/** What a simulated device does when the platform speaks to it: it answers methods, and becomes what is desired. */
import { isDeepStrictEqual } from 'node:util'
import { patchBetween } from '../assets/properties/patch-between.ts'
import { isTooDeep } from '../lib/json-limits.ts'
import { isProperties, type Properties } from '../providers/twin/merge-patch.ts'
import type { UpdatePlayer } from './firmware/play-updates.ts'
import { answerMethod } from './methods/answer.ts'
import type { SimulatedMethod } from './methods/method.ts'

export interface Obedience {
  /** What it has to subscribe to. */
  topics: string[]
  /** A connection has begun, and tells the desired state anew. */
  connected(): void
  receive(topic: string, payload: Buffer): void
  /** Reports what it took over in silence. */
  catchUp(): void
}

export interface ObeyOptions {
  id: string
  methods: SimulatedMethod[]
  /** One that says nothing answers nothing either. */
  isSilent(): boolean
  /** Calls back once it is acknowledged; what finds no connection is dropped. */
  publish(topic: string, payload: string, onAcknowledged?: () => void): void
  /** What plays firmware updates, where the device does. */
  updates?: UpdatePlayer
  /** Aborts when the device is no more. */
  signal: AbortSignal
}

export function createObedience({ id, methods, isSilent, publish, updates, signal }: ObeyOptions): Obedience {
  const root = `devices/${id}`
  const desiredTopic = `${root}/twin/desired`
  let desired: Properties = {}
  /** What it said, and what of that the platform has for certain. */
  let reported: Properties = {}
  let acknowledged: Properties = {}
  let version = -1

  function become({ $version, ...state }: Properties) {
    // An earlier state that came later. [docs/mqtt#twin]
    if (typeof $version !== 'number' || $version < version) return
    version = $version
    desired = state
    catchUp()
    updates?.desired(state)
  }

  /** The same values are reported, and what is desired no more is taken back. [docs/simulations#methods-and-properties] */
  function catchUp() {
    if (isSilent() || isDeepStrictEqual(reported, desired)) return
    const change = patchBetween(reported, desired)
    const said = desired
    reported = said
    publish(`${root}/twin/reported`, JSON.stringify(change), () => (acknowledged = said))
  }

  async function answer(method: string, invocation: Properties) {
    const given = await answerMethod(methods, method, invocation, signal)
    const { correlationId } = invocation
    if (!given || typeof correlationId !== 'string' || isSilent()) return
    publish(`${root}/methods/${method}/response/${correlationId}`, JSON.stringify(given))
  }

  return {
    topics: [desiredTopic, `${root}/methods/+/invoke`],
    connected() {
      reported = acknowledged
      version = -1
    },
    receive(topic, payload) {
      const message = propertiesIn(payload)
      if (!message) return
      if (topic === desiredTopic) return become(message)
      const method = topic.split('/')[3]
      if (method) void answer(method, message)
    },
    catchUp,
  }
}

/** Whoever has its key can send it anything. */
function propertiesIn(payload: Buffer): Properties | undefined {
  try {
    const message: unknown = JSON.parse(payload.toString())
    return isProperties(message) && !isTooDeep(message) ? message : undefined
  } catch {
    return undefined
  }
}
