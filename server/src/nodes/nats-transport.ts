/**
 * Transports messages by NATS, right after the commit that causes them. While a node is without NATS, all nodes publish by
 * the database instead, to which each listens in any case. Where messages may have been lost, `onReconnect` tells the
 * subscriptions, which read from the database what they missed. [docs/operating#nats-between-nodes]
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Msg, NatsConnection } from '@nats-io/transport-node'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import { afterCommit } from '../database/after-commit.ts'
import { cleanUp } from '../database/clean-up.ts'
import type { Tables } from '../database/tables.ts'
import { connectToNats, NatsUnusableError, type NatsSettings } from '../lib/nats.ts'
import { readSubjectPrefix } from './installation.ts'
import { createLossWatch, type LossWatch } from './loss-watch.ts'
import { createPostgresTransport } from './postgres-transport.ts'
import { createReconciliation, type Reconciliation } from './reconciliation.ts'
import type { ChannelAddress, Subscription, Transport } from './transport.ts'

interface Options {
  settings: NatsSettings
  pool: pg.Pool
  db: Kysely<Tables>
  log: Logger
  heartbeatMs?: number
  /** How long an absent NATS is waited for. */
  patienceMs?: number
}

interface State extends Options {
  /** Identifies this node as a sender. */
  sender: string
  /** Lives as long as the node; undefined before it joins. */
  nats: NatsConnection | undefined
  /** Subjects below it are received by every node. */
  prefix: string
  /** Whether NATS delivers at present. */
  isConnected: boolean
  /** Heartbeats since NATS was lost. */
  missedBeats: number
  /** The number of messages that this node has published by NATS. */
  published: number
  database: Transport
  /** By channel. */
  subscriptions: Map<string, Subscription>
  losses: LossWatch
  /** Nodes without NATS, and until when that is assumed. */
  withoutNats: Map<string, number>
  reconciliation: Reconciliation
}

/** The most that a message has beside its payload, which has less than 8,000 bytes. */
const MAX_MESSAGE_BYTES = 8192
const HEARTBEAT_MS = 5000
const SILENT_HEARTBEATS = 3
/** NATS may hang while this node leaves. */
const LEAVE_MS = 1000
const HEARTBEAT = 'alive'
const LEAVING = 'left'
/** Published by nodes that have lost NATS. */
const lostNats: ChannelAddress = { name: 'gangway_nodes_without_nats', isByDatabase: true }

export function createNatsTransport(options: Options): Transport {
  const { heartbeatMs = HEARTBEAT_MS } = options
  const subscriptions = new Map<string, Subscription>()
  const state: State = {
    ...options,
    heartbeatMs,
    sender: randomUUID(),
    nats: undefined,
    prefix: '',
    isConnected: false,
    missedBeats: 0,
    published: 0,
    database: createPostgresTransport(options),
    subscriptions,
    losses: createLossWatch(SILENT_HEARTBEATS * heartbeatMs),
    withoutNats: new Map(),
    reconciliation: createReconciliation(subscriptions, options.log),
  }
  state.database.subscribe(lostNats, {
    onMessage: (sender) =>
      void state.withoutNats.set(sender, performance.now() + SILENT_HEARTBEATS * heartbeatMs),
    onReconnect: () => {},
  })
  return {
    publish: async (db, channel, payloads) => {
      if (channel.isByDatabase || !reachesAllNodes(state)) await state.database.publish(db, channel, payloads)
      else await afterCommit(db, () => publishNow(state, channel, payloads))
    },
    subscribe: (channel, subscription) => {
      if (!channel.isByDatabase) subscriptions.set(channel.name, subscription)
      state.database.subscribe(channel, subscription)
    },
    connect: (onConnected) => join(state, onConnected),
    isConnected: () => state.isConnected && state.database.isConnected(),
  }
}

function reachesAllNodes({ isConnected, withoutNats }: State): boolean {
  for (const [sender, untilMs] of withoutNats) if (untilMs < performance.now()) withoutNats.delete(sender)
  return isConnected && withoutNats.size === 0
}

function publishNow(state: State, channel: ChannelAddress, payloads: string[]): void {
  if (reachesAllNodes(state)) {
    for (const payload of payloads) send(state, channel.name, ++state.published, payload)
    return
  }
  // NATS was lost since the transaction began.
  state.database
    .publish(state.db, channel, payloads)
    .catch((err: unknown) =>
      state.log.warn({ err, channel: channel.name }, 'other nodes could not be notified'),
    )
}

/** @param number of the message, or in a heartbeat of the last one */
function send({ nats, prefix, sender }: State, name: string, number: number, payload = ''): void {
  nats!.publish(`${prefix}.${name}`, `${sender} ${number} ${payload}`)
}

async function join(
  state: State,
  onConnected: (client: pg.Client) => Promise<void>,
): Promise<AsyncDisposable> {
  await using started = cleanUp()
  state.prefix = `${await readSubjectPrefix(state.pool)}.all`
  const nats = await connectToNats(state.settings, {
    log: state.log,
    name: 'nodes',
    prepare: requireSize,
    ...(state.patienceMs !== undefined && { forMs: state.patienceMs }),
  })
  state.nats = nats
  started.use({ [Symbol.asyncDispose]: () => leave(state, nats) })
  await subscribe(state, nats)
  void followConnection(state, nats)
  const timer = setInterval(() => beat(state), state.heartbeatMs)
  started.use({ [Symbol.asyncDispose]: async () => clearInterval(timer) })
  started.use(await state.database.connect(onConnected))
  return started.keep()
}

async function requireSize({ info }: NatsConnection): Promise<void> {
  if (info!.max_payload < MAX_MESSAGE_BYTES)
    throw new Error(`its max_payload is ${info!.max_payload}, but has to be ${MAX_MESSAGE_BYTES} or more`)
}

/** Verifies with a heartbeat that this node may publish and subscribe. */
async function subscribe(state: State, nats: NatsConnection): Promise<void> {
  const { prefix } = state
  let isDelivered = false
  nats.subscribe(`${prefix}.*`, {
    callback: (error, message) => {
      if (error) return
      isDelivered = true
      receive(state, message)
    },
  })
  send(state, HEARTBEAT, state.published)
  await nats.flush()
  if (!isDelivered)
    throw new NatsUnusableError(
      `NATS does not deliver the messages of this server to itself. The user of GANGWAY_NATS_URL has to be allowed to publish and to subscribe to ${prefix}.>`,
    )
  state.isConnected = true
}

function receive(state: State, message: Msg): void {
  const { prefix, losses, reconciliation, subscriptions, log } = state
  const channel = message.subject.slice(prefix.length + 1)
  const [, sender, number, payload] = /^(\S+) (\d+) (.*)$/s.exec(message.string()) ?? []
  if (sender === undefined) return log.warn({ channel }, 'a message of another program came by NATS')
  if (channel === LEAVING) return losses.leave(sender)
  if (losses.receive(sender, Number(number), { isHeartbeat: channel === HEARTBEAT })) reconciliation.request()
  const handle = async () => subscriptions.get(channel)?.onMessage(payload!)
  handle().catch((err: unknown) =>
    log.error({ err, channel }, 'a message of another node could not be handled'),
  )
}

function beat(state: State): void {
  const { losses, reconciliation, isConnected } = state
  if (isConnected) {
    send(state, HEARTBEAT, state.published)
    if (losses.forgetSilent()) reconciliation.request()
  } else {
    announceLoss(state)
    // What others published before they knew is in the database by then.
    if (++state.missedBeats <= 2) reconciliation.request()
  }
  reconciliation.retry()
}

/** Other nodes publish by the database from then on. Repeated for nodes that join. */
function announceLoss({ database, db, sender, log }: State): void {
  database
    .publish(db, lostNats, [sender])
    .catch((error: Error) =>
      log.warn({ reason: error.message }, 'other nodes do not know yet that this one has lost NATS'),
    )
}

async function followConnection(state: State, nats: NatsConnection): Promise<void> {
  for await (const { type } of nats.status()) {
    if (type === 'disconnect' && state.isConnected) {
      state.isConnected = false
      state.missedBeats = 0
      state.log.warn('NATS is lost: the database carries the messages between nodes')
      announceLoss(state)
    }
    if (type === 'reconnect') await resume(state, nats).catch(() => {})
  }
}

/** @throws when NATS is lost again */
async function resume(state: State, nats: NatsConnection): Promise<void> {
  await nats.flush()
  state.losses.skip()
  state.isConnected = true
  send(state, HEARTBEAT, state.published)
  state.reconciliation.request()
  state.log.info('NATS is back')
}

async function leave(state: State, nats: NatsConnection): Promise<void> {
  const wasConnected = state.isConnected
  state.isConnected = false
  if (wasConnected) {
    send(state, LEAVING, state.published)
    await Promise.race([nats.flush(), sleep(LEAVE_MS, undefined, { ref: false })]).catch(() => {})
  }
  await nats.close()
}
