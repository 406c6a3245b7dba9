/**
 * The store of the broker for stored sessions, retained messages and wills. It is in memory and limited per device.
 * Data that must survive a restart are in the database (the desired state, telemetry), and CONNACK tells a device that
 * its session is gone. Everything is kept by device, so that nothing can pass from one device to another.
 * [docs/mqtt#sessions]
 */
import { Readable } from 'node:stream'
import type { AedesPublishPacket, Client, Subscription } from 'aedes'
import { deviceIdOfTopic, matches } from './topics.ts'

/** Limits per device. */
const MAX_RETAINED_TOPICS = 100
const MAX_RETAINED_BYTES = 1024 * 1024
const MAX_STORED_SESSIONS = 10
/** Limits per session; beyond them the oldest messages are dropped. */
const MAX_QUEUED_MESSAGES = 100
const MAX_QUEUED_BYTES = 1024 * 1024

type ClientId = Pick<Client, 'id'>
type Packet = AedesPublishPacket & {
  messageId?: number
  brokerId?: string
  brokerCounter?: number
  clientId?: string
}
type StoredSubscription = Subscription & { clientId: string }

interface StoredSession {
  subscriptions: Map<string, Subscription>
  /** Messages that were sent and not acknowledged, or that wait for the device to reconnect. */
  outgoing: Packet[]
  /** Packet identifiers of QoS 2 messages that arrived and were not released. */
  incoming: Set<number>
}

interface DeviceStore {
  /** `provider_clients.number`: an id may be used again by another client, even of another tenant. */
  number: number
  sessions: Map<string, StoredSession>
  retained: Map<string, Packet>
}

export type SessionStore = ReturnType<typeof createSessionStore>

export function createSessionStore() {
  const devices = new Map<string, DeviceStore>()
  const wills = new Map<string, Packet>()

  const device = (id: string): DeviceStore => {
    const known = devices.get(id)
    if (!known) throw new Error(`nothing is stored for ${id}, which never signed in`)
    return known
  }
  const find = (client: ClientId) => devices.get(deviceIdOfClient(client.id))?.sessions.get(client.id)
  const get = (client: ClientId): StoredSession => {
    const { sessions } = device(deviceIdOfClient(client.id))
    const known = sessions.get(client.id)
    if (known) return known
    const fresh: StoredSession = { subscriptions: new Map(), outgoing: [], incoming: new Set() }
    sessions.set(client.id, fresh)
    if (sessions.size > MAX_STORED_SESSIONS) sessions.delete(sessions.keys().next().value!)
    return fresh
  }
  const drop = async (client: ClientId) => {
    devices.get(deviceIdOfClient(client.id))?.sessions.delete(client.id)
  }

  const subscribers = (topic: string): StoredSubscription[] =>
    [...(devices.get(deviceIdOfTopic(topic))?.sessions ?? [])].flatMap(([clientId, { subscriptions }]) => {
      const match = [...subscriptions.values()].find(
        (stored) => stored.qos > 0 && matches(stored.topic, topic),
      )
      return match ? [{ ...match, clientId }] : []
    })

  return {
    setup: async () => {},
    /** Called when a device has signed in. No data of a deleted client may reach a new one with the same id. */
    adopt({ id, number }: { id: string; number: number }) {
      if (devices.get(id)?.number !== number)
        devices.set(id, { number, sessions: new Map(), retained: new Map() })
    },

    cleanSubscriptions: drop,
    cleanIncoming: drop,
    subscriptionsByClient: async (client: ClientId): Promise<Subscription[]> => [
      ...(find(client)?.subscriptions.values() ?? []),
    ],
    async addSubscriptions(client: ClientId, subscriptions: Subscription[]) {
      const id = deviceIdOfClient(client.id)
      // The broker passes refused filters, too.
      for (const { topic, qos } of subscriptions)
        if (deviceIdOfTopic(topic) === id) get(client).subscriptions.set(topic, { topic, qos })
    },
    async removeSubscriptions(client: ClientId, filters: string[]) {
      for (const filter of filters) find(client)?.subscriptions.delete(filter)
    },
    subscriptionsByTopic: async (topic: string): Promise<StoredSubscription[]> => subscribers(topic),

    /** Whether a stored session, present or not, has subscribed to the topic with QoS 1 or 2. */
    hasSubscriber: (deviceId: string, topic: string): boolean =>
      (devices.get(deviceId)?.sessions.size ?? 0) > 0 && subscribers(topic).length > 0,

    async storeRetained(packet: Packet) {
      const { retained } = device(deviceIdOfTopic(packet.topic))
      if (packet.payload.length === 0) retained.delete(packet.topic)
      else retained.set(packet.topic, { ...packet })
    },
    /** Whether one more retained message is within the limits of the device. */
    mayRetain(topic: string, payload: Buffer | string): boolean {
      const retained = devices.get(deviceIdOfTopic(topic))?.retained
      if (!retained || payload.length === 0) return payload.length <= MAX_RETAINED_BYTES
      const others = [...retained].filter(([other]) => other !== topic)
      const bytes = others.reduce((sum, [, { payload: kept }]) => sum + kept.length, payload.length)
      return others.length < MAX_RETAINED_TOPICS && bytes <= MAX_RETAINED_BYTES
    },
    createRetainedStreamCombi: (filters: string[]): Readable =>
      Readable.from(
        filters.flatMap((filter) =>
          [...(devices.get(deviceIdOfTopic(filter))?.retained ?? [])]
            .filter(([topic]) => matches(filter, topic))
            .map(([, packet]) => packet),
        ),
      ),

    outgoingEnqueue: async (subscription: { clientId: string }, packet: Packet) =>
      enqueue(get({ id: subscription.clientId }), packet),
    async outgoingEnqueueCombi(subscriptions: { clientId: string }[], packet: Packet) {
      for (const { clientId } of subscriptions) enqueue(get({ id: clientId }), packet)
    },
    async outgoingUpdate(client: ClientId, packet: Packet) {
      const queue = find(client)?.outgoing ?? []
      const index = queue.findIndex((queued) => isSameMessage(queued, packet))
      if (index < 0) return
      // PUBREL takes the place of the message that it releases.
      if (queue[index]!.brokerId === packet.brokerId) queue[index]!.messageId = packet.messageId
      else queue[index] = packet
    },
    async outgoingClearMessageId(client: ClientId, { messageId }: Packet) {
      const queue = find(client)?.outgoing ?? []
      const index = queue.findIndex((queued) => queued.messageId === messageId)
      return index < 0 ? undefined : queue.splice(index, 1)[0]
    },
    outgoingStream: (client: ClientId): Readable => Readable.from([...(find(client)?.outgoing ?? [])]),

    async incomingStorePacket(client: ClientId, { messageId }: Packet) {
      get(client).incoming.add(messageId!)
    },
    /** @throws if there is none, as the broker expects */
    async incomingGetPacket(client: ClientId, packet: Packet) {
      if (!find(client)?.incoming.has(packet.messageId!)) throw new Error('no such packet')
      return packet
    },
    async incomingDelPacket(client: ClientId, { messageId }: Packet) {
      if (!find(client)?.incoming.delete(messageId!)) throw new Error('no such packet')
    },

    async putWill(client: ClientId, packet: Packet) {
      wills.set(client.id, packet)
    },
    async delWill(client: ClientId) {
      const will = wills.get(client.id)
      wills.delete(client.id)
      return will
    },
    /** There are no wills of other brokers: each node publishes its own. */
    streamWill: (): Readable => Readable.from([]),
  }
}

/** Client ids are `deviceId/clientId`: no device can name the session of another. [docs/mqtt#sessions] */
export const scopedClientId = (deviceId: string, clientId: string): string => `${deviceId}/${clientId}`
const deviceIdOfClient = (scoped: string) => scoped.slice(0, scoped.indexOf('/'))

function enqueue(session: StoredSession, packet: Packet) {
  session.outgoing.push({ ...packet })
  const bytes = () => session.outgoing.reduce((sum, { payload }) => sum + (payload?.length ?? 0), 0)
  while (session.outgoing.length > MAX_QUEUED_MESSAGES || bytes() > MAX_QUEUED_BYTES) session.outgoing.shift()
}

const isSameMessage = (queued: Packet, packet: Packet) =>
  queued.brokerId === packet.brokerId
    ? queued.brokerCounter === packet.brokerCounter
    : queued.messageId === packet.messageId
