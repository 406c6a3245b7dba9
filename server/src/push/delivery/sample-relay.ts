/**
 * Relays samples between nodes through NATS (GANGWAY_NATS_URL), so that a sample reaches those who watch it, whichever
 * node stored it. Each node announces the owners that are watched at it, and receives samples of these only. Delivery is
 * at most once, as for all live data.
 */
import type { Msg } from '@nats-io/transport-node'
import { closeNats, connectToNats, type NatsSettings } from '../../lib/nats.ts'
import { waitAtMost } from '../../lib/wait-at-most.ts'
import { readSubjectPrefix } from '../../nodes/installation.ts'
import type { StoredSample } from '../../timeseries/storage/stored-sample.ts'
import type { SampleRelay } from '../state.ts'
import {
  announce,
  announcePeriodically,
  receiveAnnouncement,
  receiveArrival,
  recover,
  watch,
} from './announcements.ts'
import { deliverSamples } from './deliver.ts'
import { findBuckets } from './interest.ts'
import { publishToNodes } from './publish-to-nodes.ts'
import {
  allSubject,
  ANNOUNCE_EVERY_MS,
  announcementSubject,
  arrivalSubject,
  isConnected,
  isLearning,
  readMessage,
  type Relay,
  type RelayContext,
  samplesSubject,
} from './relay-state.ts'

/** NATS may hang while this node leaves. */
const LEAVE_MS = 1000

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
    interest: new Map(),
    announced: 0,
    arrived: Promise.resolve(),
    waiting: [],
  }
  void followConnection(relay)
  receiveMessages(relay)
  const timer = setInterval(() => announcePeriodically(relay), ANNOUNCE_EVERY_MS)
  announce(relay, { isNew: true })
  return {
    publish: (samples) => {
      if ((relay.nodes.size > 0 || isLearning(relay)) && isConnected(relay)) publishToNodes(relay, samples)
    },
    isWatched: (tenantId) => isWanted(relay, tenantId),
    watch: (subscription) => watch(relay, subscription),
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await leave(relay)
    },
  }
}

function isWanted(relay: Relay, tenantId: string): boolean {
  if (isLearning(relay)) return true
  for (const { interest } of relay.nodes.values()) if (findBuckets(interest, tenantId)) return true
  return false
}

function receiveMessages(relay: Relay): void {
  const { nats, ctx } = relay
  const receive = (subject: string, handle: (message: Msg) => void) =>
    nats.subscribe(subject, { callback: (_error, message) => handle(message) })
  receive(announcementSubject(relay), (message) => receiveAnnouncement(relay, message))
  receive(arrivalSubject(relay, ctx.nodes.id), (message) => receiveArrival(relay, message))
  for (const subject of [samplesSubject(relay, ctx.nodes.id), allSubject(relay)])
    receive(subject, (message) => receiveSamples(ctx, message))
}

async function followConnection(relay: Relay): Promise<void> {
  for await (const { type } of relay.nats.status()) {
    if (type === 'disconnect') relay.isLost = true
    if (type !== 'reconnect') continue
    relay.isLost = false
    recover(relay, { isNew: true })
  }
}

function receiveSamples(ctx: RelayContext, message: Msg): void {
  const samples = readMessage<StoredSample[]>(ctx, message)
  try {
    if (samples) deliverSamples(ctx.push, samples)
  } catch (error) {
    ctx.log.error({ err: error }, 'samples of another node were not delivered')
  }
}

/** The others need not wait for a node that is gone. */
async function leave(relay: Relay): Promise<void> {
  announce(relay, { isLeaving: true, interest: [] })
  // It rejects where NATS is lost meanwhile.
  if (isConnected(relay)) await waitAtMost(LEAVE_MS, relay.nats.flush()).catch(() => {})
  await closeNats(relay.nats)
}
