/**
 * A node announces to the others which samples it wants: all of them periodically, and those of a new subscription at once. The others
 * confirm each announcement, so that a subscriber reads the last values only when it misses nothing after them.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Msg } from '@nats-io/transport-node'
import type { Subscription } from '../state.ts'
import {
  addOwners,
  decodeInterest,
  encodeInterest,
  type EncodedInterest,
  mergeInterests,
  narrowInterest,
} from './interest.ts'
import {
  ANNOUNCE_EVERY_MS,
  announcementSubject,
  arrivalSubject,
  isConnected,
  isLearning,
  readMessage,
  type Relay,
} from './relay-state.ts'

/** A node that has been silent for this long is considered gone. */
const SILENT_MS = 3 * ANNOUNCE_EVERY_MS
/** A node that does not confirm an announcement is waited for no longer than this: it may be dead. */
const ARRIVAL_MS = 1000
const MAX_ANNOUNCEMENT_BYTES = 256 * 1024
/** The maximum size of the other fields of an announcement. */
const ENVELOPE_BYTES = 512

/** The message with which a node announces to the others what it wants. */
interface Announcement {
  nodeId: string
  /** Each node counts its own announcements. The others confirm each of them. */
  number: number
  interest: EncodedInterest
  /** Whether the interest is added to the former one; else it takes its place. */
  isAddition?: boolean
  /** Whether the node has just joined or reconnected: the others then announce their interest at once. */
  isNew?: boolean
  /** Whether it has not sent all that it stored, since it was without NATS or did not hear of the others. */
  hasMissed?: boolean
  /** Whether it is the last one. */
  isLeaving?: boolean
}

/** The message with which a node confirms an announcement. */
type Arrival = Pick<Announcement, 'nodeId' | 'number'>

/** Owners that nobody watches any more are removed only here, so that subscriptions that come and go in between cost nothing. */
export function announcePeriodically(relay: Relay): void {
  const { nodes, ctx } = relay
  for (const [nodeId, { announcedAtMs }] of nodes)
    if (performance.now() - announcedAtMs > SILENT_MS) forget(relay, nodeId)
  relay.interest = narrowInterest(relay.interest, ctx.push.watchers)
  announce(relay)
}

/** Announces all that this node wants, unless `fields` have another interest. */
export function announce(relay: Relay, fields: Partial<Announcement> = {}): void {
  const { ctx, nats, interest } = relay
  if (!isConnected(relay)) return
  const maxBytes = Math.min(nats.info!.max_payload, MAX_ANNOUNCEMENT_BYTES) - ENVELOPE_BYTES
  const announcement: Announcement = {
    nodeId: ctx.nodes.id,
    number: ++relay.announced,
    ...fields,
    interest: fields.interest ?? encodeInterest(interest, maxBytes),
  }
  nats.publish(announcementSubject(relay), JSON.stringify(announcement))
  relay.arrived = waitForArrival(relay, announcement.number)
}

/** Where the connection is lost meanwhile, subscribers begin again once it is back. */
async function waitForArrival(relay: Relay, number: number): Promise<void> {
  const arrived = new Promise<void>((resolve) => relay.waiting.push({ number, resolve }))
  endWaiting(relay)
  await Promise.race([arrived, sleep(ARRIVAL_MS, undefined, { ref: false })])
}

/** Resolves those who wait for what all other nodes have confirmed by now, once this node knows all of them. */
function endWaiting(relay: Relay): void {
  if (isLearning(relay)) return
  const { nodes, waiting } = relay
  let confirmed = Infinity
  for (const node of nodes.values()) confirmed = Math.min(confirmed, node.confirmed)
  while (waiting[0] && waiting[0].number <= confirmed) waiting.shift()!.resolve()
}

/** Samples that were to come here and to go from here may have been lost. */
export function recover(relay: Relay, { isNew = false } = {}): void {
  const { push, nodes } = relay.ctx
  announce(relay, { isNew, hasMissed: true })
  if (nodes.peers.exist) push.restartConnections()
}

export function receiveAnnouncement(relay: Relay, message: Msg): void {
  const { ctx, nats, nodes } = relay
  const announcement = readMessage<Announcement>(ctx, message)
  if (!announcement) return
  const { nodeId, number, isAddition, isNew, hasMissed, isLeaving } = announcement
  if (isLeaving) return forget(relay, nodeId)
  const before = nodes.get(nodeId)
  const isForgotten = !isNew && !before && performance.now() - relay.joinedAtMs > SILENT_MS
  if (hasMissed) ctx.push.restartConnections()
  const interest = decodeInterest(announcement.interest)
  nodes.set(nodeId, {
    interest: isAddition && before ? mergeInterests(before.interest, interest) : interest,
    announcedAtMs: performance.now(),
    confirmed: isNew ? 0 : (before?.confirmed ?? 0),
  })
  // A node that missed something may know only a part of what this one wants.
  if (isNew || hasMissed) announce(relay)
  if (isForgotten) recover(relay)
  const arrival: Arrival = { nodeId: ctx.nodes.id, number }
  if (isConnected(relay)) nats.publish(arrivalSubject(relay, nodeId), JSON.stringify(arrival))
}

function forget(relay: Relay, nodeId: string): void {
  relay.nodes.delete(nodeId)
  endWaiting(relay)
}

export function receiveArrival(relay: Relay, message: Msg): void {
  const arrival = readMessage<Arrival>(relay.ctx, message)
  const node = arrival && relay.nodes.get(arrival.nodeId)
  if (!node) return
  node.confirmed = arrival.number
  endWaiting(relay)
}

/**
 * Resolves once the other nodes know the owners of the subscription. It waits even if this node has announced them before, because
 * that announcement may still be on its way.
 */
export function watch(
  relay: Relay,
  { tenantId, owners }: Pick<Subscription, 'tenantId' | 'owners'>,
): Promise<void> {
  const added = addOwners(relay.interest, tenantId, owners)
  if (added.length > 0) announce(relay, { isAddition: true, interest: [[tenantId, added]] })
  return relay.arrived
}
