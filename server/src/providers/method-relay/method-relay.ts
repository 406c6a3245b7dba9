/**
 * Relays direct methods between nodes. The calling node waits for the response itself. The node that holds the device's
 * session sends the request. The node that receives the response, possibly a third one after a reconnect, relays it back.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../lib/ids.ts'
import { channel } from '../../nodes/channel.ts'
import type { Runtime } from '../../runtime.ts'
import type { LiveSessions, ReplyTo } from '../live-sessions.ts'
import type { MethodResponse, PendingMethods } from '../pending-methods.ts'
import { deleteRelayedMessage, insertRelayedMessage } from './store.ts'

export interface MethodRelay {
  /** @returns why no node sent the request; undefined if a node sent it */
  relayInvocation(call: RelayedInvocation): Promise<Refusal | undefined>
  /** @returns whether another node was waiting for the response */
  relayResponse(answered: RelayedResponse): Promise<boolean>
}

/** `not_connected`: no node has a session of the device. */
type Refusal = 'not_subscribed' | 'not_connected'

interface RelayedInvocation {
  clientId: string
  topic: string
  replyTo: ReplyTo
  message: string
}

interface RelayedResponse {
  clientId: string
  correlationId: string
  response: MethodResponse
}

/** The body of a request or response is stored in the database, because it may exceed the size of a notification. */
type RelayMessage = { id: string } & (
  | { kind: 'invocation'; clientId: string; topic: string; replyTo: ReplyTo }
  | { kind: 'response'; clientId: string; correlationId: string }
  | { kind: 'outcome'; outcome: Outcome }
)
/** `disconnected`: a node removed the request from the database, then the device disconnected. */
type Outcome = 'not_subscribed' | 'disconnected' | 'settled'

const relayMessages = channel<RelayMessage>('gangway_method_relay', {
  findOwner: (message) => (message.kind === 'invocation' ? message.clientId : undefined),
})

/** The time in which another node has to react. The device waits for PUBACK while its response is relayed. */
const INVOCATION_TIMEOUT_MS = 3000
const RESPONSE_TIMEOUT_MS = 1000
/** The platform's ids are UUIDs. A device may send any other id, which might be too long for a notification. */
const CORRELATION_ID = /^[0-9a-f-]{36}$/

type Parts = Pick<Runtime, 'db' | 'nodes'> & { liveSessions: LiveSessions; pendingMethods: PendingMethods }

interface State extends Parts {
  /** By the id of the message. */
  readonly pendingOutcomes: Map<string, (outcome: Outcome) => void>
}

export function createMethodRelay(parts: Parts): MethodRelay {
  const { db, nodes, liveSessions, pendingMethods } = parts
  const ctx: State = { db, nodes, liveSessions, pendingMethods, pendingOutcomes: new Map() }
  // No handler for reconnects: a lost message has timed out by then, and its call ends as offline or with a timeout.
  relayMessages.subscribe(ctx, {
    onMessage: (message, { isOwn }) => (isOwn ? undefined : handleMessage(ctx, message)),
  })
  return {
    relayInvocation: (call) => relayInvocation(ctx, call),
    relayResponse: (answered) => relayResponse(ctx, answered),
  }
}

async function handleMessage(ctx: State, message: RelayMessage): Promise<void> {
  const { id } = message
  if (message.kind === 'outcome') return ctx.pendingOutcomes.get(id)?.(message.outcome)
  const outcome = await (message.kind === 'invocation'
    ? sendOnThisNode(ctx, message)
    : settleOnThisNode(ctx, message))
  if (outcome) await relayMessages.publish(ctx, ctx.db, { id, kind: 'outcome', outcome })
}

async function relayInvocation(
  ctx: State,
  { message, ...request }: RelayedInvocation,
): Promise<Refusal | undefined> {
  const id = newId()
  const outcome = await relay(ctx, { id, kind: 'invocation', ...request }, message)
  if (outcome === 'disconnected') return 'not_connected'
  // A node sends the request only after it has deleted the row. If it can be deleted here, no node will send it.
  const isUnsent = (await deleteRelayedMessage(ctx.db, id)) !== undefined
  if (!isUnsent) return undefined
  return outcome === 'not_subscribed' ? 'not_subscribed' : 'not_connected'
}

async function relayResponse(
  ctx: State,
  { clientId, correlationId, response }: RelayedResponse,
): Promise<boolean> {
  if (!ctx.nodes.peers.exist || !CORRELATION_ID.test(correlationId)) return false
  const id = newId()
  await relay(ctx, { id, kind: 'response', clientId, correlationId }, response)
  return (await deleteRelayedMessage(ctx.db, id)) === undefined
}

/** @returns the outcome on another node; undefined if none was published in time */
async function relay(
  ctx: State,
  message: RelayMessage & { kind: 'invocation' | 'response' },
  body: unknown,
): Promise<Outcome | undefined> {
  const { db, pendingOutcomes } = ctx
  const { id } = message
  const timeoutMs = message.kind === 'invocation' ? INVOCATION_TIMEOUT_MS : RESPONSE_TIMEOUT_MS
  const outcome = new Promise<Outcome>((resolve) => pendingOutcomes.set(id, resolve))
  try {
    await insertRelayedMessage(db, id, JSON.stringify(body))
    await relayMessages.publish(ctx, db, message)
    return await Promise.race([outcome, sleep(timeoutMs, undefined, { ref: false })])
  } finally {
    pendingOutcomes.delete(id)
  }
}

/** Sends to only one session. @returns undefined if this node has no session of the device, or the request was sent */
async function sendOnThisNode(
  ctx: Parts,
  { id, clientId, topic, replyTo }: RelayMessage & { kind: 'invocation' },
): Promise<Outcome | undefined> {
  const sessions = () => ctx.liveSessions.list(clientId)
  if (sessions().length === 0) return undefined
  if (!sessions().some((session) => session.isSubscribedTo(topic))) return 'not_subscribed'
  const body = await deleteRelayedMessage(ctx.db, id, INVOCATION_TIMEOUT_MS)
  if (body === undefined) return undefined
  const message = JSON.parse(body) as string
  return sessions().some((session) => session.send(topic, message, replyTo)) ? undefined : 'disconnected'
}

/** @returns undefined if no method on this node waits for the response */
async function settleOnThisNode(
  ctx: Parts,
  { id, clientId, correlationId }: RelayMessage & { kind: 'response' },
): Promise<Outcome | undefined> {
  if (!ctx.pendingMethods.isWaiting(clientId, correlationId)) return undefined
  const body = await deleteRelayedMessage(ctx.db, id, RESPONSE_TIMEOUT_MS)
  if (body === undefined) return undefined
  ctx.pendingMethods.settle(clientId, correlationId, JSON.parse(body) as MethodResponse)
  return 'settled'
}
