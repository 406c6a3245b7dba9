/**
 * Relays samples between nodes through NATS (GANGWAY_NATS_URL), so that a sample reaches those who watch it, whichever
 * node stored it. Each node announces the tenants that are watched at it, and only their samples are relayed. Delivery
 * is at most once, as for all live data.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node'
import { closeNats, connectToNats, dropIfStuck, type NatsSettings } from '../../lib/nats.ts'
import { readSubjectPrefix } from '../../nodes/installation.ts'
import type { Runtime } from '../../runtime.ts'
import type { StoredSample } from '../../timeseries/storage/stored-sample.ts'
import { deliverSamples } from './deliver.ts'
import type { Push, SampleRelay } from '../state.ts'

const watchedSubject = ({ prefix }: Relay) => `${prefix}.push.watched`
const tenantSubject = ({ prefix }: Relay, tenantId: string) =>
  `${prefix}.push.tenant.${Buffer.from(tenantId).toString('base64url')}`

const ANNOUNCE_EVERY_MS = 5000
/** A node that has been silent for this long is considered gone. */
const SILENT_MS = 3 * ANNOUNCE_EVERY_MS
/** An announcement reaches the other nodes within this time, unless something is wrong. */
const ARRIVAL_MS = 50
const SAMPLES_PER_MESSAGE = 500

/** The message with which a node announces its watched tenants to the others. */
interface Announcement {
  nodeId: string
  /** The tenants that are watched at the node. */
  tenantIds: string[]
  /** Whether the node has just joined or reconnected: the others then announce their tenants at once. */
  isNew: boolean
  /** Whether it has not sent all that it stored, since it was without NATS or did not hear of the others. */
  hasMissed?: boolean
}

interface Node {
  tenantIds: Set<string>
  announcedAtMs: number
}

type RelayContext = Pick<Runtime, 'log' | 'nodes' | 'pool'> & { push: Push }

interface Relay {
  ctx: RelayContext
  nats: NatsConnection
  /** The first tokens of all subjects, which are those of the installation. */
  prefix: string
  /** Nothing is published while the connection is lost, because the NATS client would keep all of it in memory. */
  isLost: boolean
  /** Other nodes, by node id. */
  nodes: Map<string, Node>
  /** Others answer the first announcement of this node, so that it does not know them yet. */
  joinedAtMs: number
  /** The NATS subscriptions, by tenant id. */
  receiving: Map<string, { subscription: Subscription; isAnnounced: Promise<void> }>
}

/** @throws NatsUnusableError when NATS does not answer; the start has waited for it before */
export async function joinSampleRelay(ctx: RelayContext, settings: NatsSettings): Promise<SampleRelay> {
  const prefix = await readSubjectPrefix(ctx.pool)
  const nats = await connectToNats(settings, { log: ctx.log, name: 'push', noEcho: true, forMs: 0 })
  const relay: Relay = {
    ctx,
    nats,
    prefix,
    isLost: false,
    nodes: new Map(),
    joinedAtMs: performance.now(),
    receiving: new Map(),
  }
  void followConnection(relay)
  nats.subscribe(watchedSubject(relay), {
    callback: (_error, message) => receiveAnnouncement(relay, message),
  })
  const timer = setInterval(() => {
    forgetUnused(relay)
    announce(relay)
  }, ANNOUNCE_EVERY_MS)
  announce(relay, { isNew: true })
  return {
    publish: (samples) => {
      if (relay.nodes.size > 0 && isConnected(relay)) publish(relay, samples)
    },
    watch: (tenantId) => (relay.receiving.get(tenantId) ?? receiveTenant(relay, tenantId)).isAnnounced,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await closeNats(nats)
    },
  }
}

const isConnected = ({ nats, isLost }: Relay) => !isLost && !nats.isClosed()

async function followConnection(relay: Relay): Promise<void> {
  for await (const { type } of relay.nats.status()) {
    if (type === 'disconnect') relay.isLost = true
    if (type !== 'reconnect') continue
    relay.isLost = false
    recover(relay, { isNew: true })
  }
}

/** Samples that were to come here and to go from here may have been lost. */
function recover(relay: Relay, { isNew = false } = {}): void {
  const { push, nodes } = relay.ctx
  announce(relay, { isNew, hasMissed: true })
  if (nodes.peers.exist) push.restartConnections()
}

function announce(relay: Relay, { isNew = false, hasMissed = false } = {}): void {
  const { ctx, nats } = relay
  const announcement: Announcement = {
    nodeId: ctx.nodes.id,
    tenantIds: [...ctx.push.watchers.keys()],
    isNew,
    hasMissed,
  }
  if (isConnected(relay)) nats.publish(watchedSubject(relay), JSON.stringify(announcement))
}

function receiveAnnouncement(relay: Relay, message: Msg): void {
  const announcement = readMessage<Announcement>(relay.ctx, message)
  if (!announcement) return
  const { nodeId, tenantIds, isNew, hasMissed } = announcement
  const isForgotten = !isNew && !relay.nodes.has(nodeId) && performance.now() - relay.joinedAtMs > SILENT_MS
  if (hasMissed) relay.ctx.push.restartConnections()
  relay.nodes.set(nodeId, { tenantIds: new Set(tenantIds), announcedAtMs: performance.now() })
  if (isNew) announce(relay)
  if (isForgotten) recover(relay)
}

/** Removes tenants that nobody watches at this node any more, and nodes that are gone. */
function forgetUnused({ ctx, nodes, receiving }: Relay): void {
  for (const [tenantId, { subscription }] of receiving) {
    if (ctx.push.watchers.has(tenantId)) continue
    subscription.unsubscribe()
    receiving.delete(tenantId)
  }
  for (const [nodeId, { announcedAtMs }] of nodes)
    if (performance.now() - announcedAtMs > SILENT_MS) nodes.delete(nodeId)
}

function receiveTenant(relay: Relay, tenantId: string) {
  const callback = (_error: Error | null, message: Msg) => receiveSamples(relay.ctx, message)
  const subscription = relay.nats.subscribe(tenantSubject(relay, tenantId), { callback })
  const entry = { subscription, isAnnounced: announceAndWait(relay) }
  relay.receiving.set(tenantId, entry)
  return entry
}

async function announceAndWait(relay: Relay): Promise<void> {
  if (!isConnected(relay)) return
  announce(relay)
  // Where the connection is lost now, subscribers begin again once it is back.
  await relay.nats.flush().catch(() => {})
  await sleep(ARRIVAL_MS)
}

function receiveSamples(ctx: RelayContext, message: Msg): void {
  const samples = readMessage<StoredSample[]>(ctx, message)
  try {
    if (samples) deliverSamples(ctx.push, samples)
  } catch (error) {
    ctx.log.error({ err: error }, 'samples of another node were not delivered')
  }
}

/** Other programs may publish on this NATS, too. */
function readMessage<T>({ log }: RelayContext, message: Msg): T | undefined {
  try {
    return message.json<T>()
  } catch {
    log.warn({ subject: message.subject }, 'a message of another node is not JSON')
    return undefined
  }
}

function publish(relay: Relay, samples: StoredSample[]): void {
  const isWatched = (tenantId: string) =>
    [...relay.nodes.values()].some(({ tenantIds }) => tenantIds.has(tenantId))
  const tenantIds = new Set(samples.map(({ tenantId }) => tenantId))
  for (const tenantId of tenantIds) {
    if (!isWatched(tenantId)) continue
    const own = samples.filter((sample) => sample.tenantId === tenantId)
    for (let at = 0; at < own.length; at += SAMPLES_PER_MESSAGE) {
      if (dropIfStuck(relay.nats)) relay.isLost = true
      if (relay.isLost) return
      publishInParts(relay, tenantSubject(relay, tenantId), own.slice(at, at + SAMPLES_PER_MESSAGE))
    }
  }
}

function publishInParts(relay: Relay, subject: string, samples: StoredSample[]): void {
  const { ctx, nats } = relay
  const payload = Buffer.from(JSON.stringify(samples))
  if (payload.length <= nats.info!.max_payload) return nats.publish(subject, payload)
  if (samples.length === 1)
    return ctx.log.warn(
      { bytes: payload.length },
      'a value is too large for NATS: other nodes do not push it',
    )
  const half = samples.length >> 1
  for (const part of [samples.slice(0, half), samples.slice(half)]) publishInParts(relay, subject, part)
}
