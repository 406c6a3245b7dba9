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
import { closeNats, connectToNats, dropIfStuck, NatsUnusableError, type NatsSettings } from '../lib/nats.ts'
import { readSubjectPrefix } from './installation.ts'
import { createLossWatch, type LossWatch } from './loss-watch.ts'
import { createNatsInterests, type NatsInterests } from './nats-interests.ts'
import { createPostgresTransport } from './postgres-transport.ts'
import { createReconciliation, type Reconciliation } from './reconciliation.ts'
import type { ChannelAddress, OutgoingMessage, Subscription, Transport } from './transport.ts'

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
  /** The first tokens of all subjects. */
  prefix: string
  /** Whether NATS delivers at present. */
  isConnected: boolean
  /** Heartbeats since NATS was lost. */
  missedBeats: number
  /** The number of messages to all nodes that this node has published by NATS. */
  published: number
  database: Transport
  /** By channel. */
  subscriptions: Map<string, Subscription>
  losses: LossWatch
  /** Other nodes that have lost NATS, and until when that is assumed. */
  withoutNats: Map<string, number>
  /** Whether there are nodes that do not use NATS. */
  hasPeersWithoutNats: boolean
  reconciliation: Reconciliation
  interests: NatsInterests
}

/** The most that a message has beside its payload, which has less than 8,000 bytes. */
const MAX_MESSAGE_BYTES = 8192
const HEARTBEAT_MS = 5000
const SILENT_HEARTBEATS = 3
/** Between two times that a node reads what it may have missed. */
const PAUSE_HEARTBEATS = 2
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
    hasPeersWithoutNats: false,
    reconciliation: createReconciliation(subscriptions, options.log, PAUSE_HEARTBEATS * heartbeatMs),
    interests: createNatsInterests(),
  }
  state.database.subscribe(lostNats, {
    onMessage: (sender) => {
      if (sender === state.sender) return
      const nowMs = performance.now()
      // What it published before it noticed the loss may not have arrived.
      if ((state.withoutNats.get(sender) ?? 0) < nowMs) state.reconciliation.request()
      state.withoutNats.set(sender, nowMs + SILENT_HEARTBEATS * heartbeatMs)
    },
    onReconnect: () => {},
  })
  return {
    publish: async (db, channel, messages) => {
      if (channel.isByDatabase || !reachesAllNodes(state)) await state.database.publish(db, channel, messages)
      else await afterCommit(db, () => publishNow(state, channel, messages))
    },
    subscribe: (channel, subscription) => {
      if (!channel.isByDatabase) subscriptions.set(channel.name, subscription)
      state.database.subscribe(channel, subscription)
    },
    connect: (onConnected, abort) => join(state, onConnected, abort),
    interests: state.interests,
    usesNats: true,
    setPeersWithoutNats: ({ size }) => {
      if (size > 0 && !state.hasPeersWithoutNats)
        state.log.warn(
          'a node of this database is without GANGWAY_NATS_URL or of an earlier version: the database carries the messages between nodes',
        )
      state.hasPeersWithoutNats = size > 0
    },
    isConnected: () => state.isConnected && state.database.isConnected(),
  }
}

function reachesAllNodes({ isConnected, withoutNats, hasPeersWithoutNats }: State): boolean {
  for (const [sender, untilMs] of withoutNats) if (untilMs < performance.now()) withoutNats.delete(sender)
  return isConnected && !hasPeersWithoutNats && withoutNats.size === 0
}

function publishNow(state: State, channel: ChannelAddress, messages: OutgoingMessage[]): void {
  if (state.isConnected && dropIfStuck(state.nats!)) lose(state)
  if (reachesAllNodes(state) && trySend(state, channel, messages)) return
  state.database
    .publish(state.db, channel, messages)
    .catch((err: unknown) =>
      state.log.warn({ err, channel: channel.name }, 'other nodes could not be notified'),
    )
}

/** An error must not reach the transaction, which is committed. */
function trySend(state: State, { name }: ChannelAddress, messages: OutgoingMessage[]): boolean {
  try {
    for (const { payload, owner } of messages)
      if (owner === undefined) sendToAll(state, name, ++state.published, payload)
      else state.nats!.publish(`${ownerSubject(state, owner)}.${name}`, payload)
    return true
  } catch (err) {
    state.log.warn({ err, channel: name }, 'NATS does not take a message')
    return false
  }
}

const allSubject = ({ prefix }: State) => `${prefix}.all`
/** Ids may have characters that subjects may not have. */
const ownerSubject = ({ prefix }: State, owner: string) =>
  `${prefix}.client.${Buffer.from(owner).toString('base64url')}`

/** @param number of the message, or in a heartbeat of the last one */
function sendToAll(state: State, name: string, number: number, payload = ''): void {
  state.nats!.publish(`${allSubject(state)}.${name}`, `${state.sender} ${number} ${payload}`)
}

async function join(
  state: State,
  onConnected: (client: pg.Client) => Promise<void>,
  abort: AbortSignal | undefined,
): Promise<AsyncDisposable> {
  await using started = cleanUp()
  state.prefix = await readSubjectPrefix(state.pool)
  const nats = await connectToNats(state.settings, {
    log: state.log,
    name: 'nodes',
    prepare: requireSize,
    ...(abort && { abort }),
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
    throw new NatsUnusableError(
      `its max_payload is ${info!.max_payload}, but has to be ${MAX_MESSAGE_BYTES} or more`,
    )
}

/** Verifies with a heartbeat that this node may publish and subscribe. */
async function subscribe(state: State, nats: NatsConnection): Promise<void> {
  let isDelivered = false
  nats.subscribe(`${allSubject(state)}.*`, {
    callback: (error, message) => {
      if (error) return
      isDelivered = true
      receiveForAll(state, message)
    },
  })
  state.interests.connect({
    subscribe: (owner) =>
      nats.subscribe(`${ownerSubject(state, owner)}.*`, {
        callback: (error, message) => void (error || handle(state, message, message.string())),
      }),
    flush: async () => (state.isConnected ? nats.flush() : undefined),
  })
  sendToAll(state, HEARTBEAT, state.published)
  await nats.flush()
  if (!isDelivered)
    throw new NatsUnusableError(
      `NATS does not deliver the messages of this server to itself. The user of GANGWAY_NATS_URL has to be allowed to publish and to subscribe to ${state.prefix}.>`,
    )
  state.isConnected = true
}

function receiveForAll(state: State, message: Msg): void {
  const { losses, reconciliation, log } = state
  const name = readChannel(message)
  const [, sender, number, payload] = /^(\S+) (\d+) (.*)$/s.exec(message.string()) ?? []
  if (sender === undefined) return log.warn({ channel: name }, 'a message of another program came by NATS')
  if (name === LEAVING) return losses.leave(sender)
  if (losses.receive(sender, Number(number), { isHeartbeat: name === HEARTBEAT })) reconciliation.request()
  handle(state, message, payload!)
}

const readChannel = ({ subject }: Msg) => subject.slice(subject.lastIndexOf('.') + 1)

function handle({ subscriptions, log }: State, message: Msg, payload: string): void {
  const channel = readChannel(message)
  const run = async () => subscriptions.get(channel)?.onMessage(payload)
  run().catch((err: unknown) => log.error({ err, channel }, 'a message of another node could not be handled'))
}

function beat(state: State): void {
  const { losses, reconciliation, isConnected } = state
  if (isConnected) {
    sendToAll(state, HEARTBEAT, state.published)
    if (losses.forgetSilent()) reconciliation.request()
  } else {
    announceLoss(state)
    // What others published before they knew is in the database by then.
    if (++state.missedBeats <= 2) reconciliation.request()
  }
  reconciliation.startDue()
}

/** Other nodes publish by the database from then on. Repeated for nodes that join. */
function announceLoss({ database, db, sender, log }: State): void {
  database
    .publish(db, lostNats, [{ payload: sender, owner: undefined }])
    .catch((error: Error) =>
      log.warn({ reason: error.message }, 'other nodes do not know yet that this one has lost NATS'),
    )
}

async function followConnection(state: State, nats: NatsConnection): Promise<void> {
  for await (const { type } of nats.status()) {
    if (type === 'disconnect') lose(state)
    if (type === 'reconnect') resume(state, nats).catch(() => {})
  }
}

function lose(state: State): void {
  if (!state.isConnected) return
  state.isConnected = false
  state.missedBeats = 0
  state.log.warn('NATS is lost: the database carries the messages between nodes')
  announceLoss(state)
}

/** @throws when NATS is lost again */
async function resume(state: State, nats: NatsConnection): Promise<void> {
  await nats.flush()
  state.losses.skip()
  state.isConnected = true
  // The gap tells the others that messages of this node may have been lost on their way.
  state.published++
  sendToAll(state, HEARTBEAT, state.published)
  state.reconciliation.request()
  state.log.info('NATS is back')
}

async function leave(state: State, nats: NatsConnection): Promise<void> {
  const wasConnected = state.isConnected
  state.isConnected = false
  if (wasConnected) {
    sendToAll(state, LEAVING, state.published)
    await Promise.race([nats.flush(), sleep(LEAVE_MS, undefined, { ref: false })]).catch(() => {})
  }
  await closeNats(nats)
}
