/**
 * Wills: messages that the gateway publishes for a device whose connection ended without its DISCONNECT. On MQTT 5 a
 * will may wait, and is discarded when the device resumes its session meanwhile. [MQTT 5.0, 3.1.2.5, 3.1.3.2.2]
 *
 * A will leaves before the first message of the next session with its client id, so that it never takes the place of what
 * the device says after it has come back. [docs/mqtt#sessions]
 */
import { MAX_STORED_SESSIONS_OF_DEVICE } from '../connection/limits.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { findSessions, publishFor } from '../publish/route-message.ts'
import { retry } from '../../lib/retry.ts'
import { isConnectedElsewhere } from '../../providers/method-relay/is-connected-elsewhere.ts'
import type { DeviceSessions, Ending, PendingWill, Session } from '../state.ts'
import { deviceTopic } from '../topics.ts'
import { sessionKey } from './sessions.ts'

const MAX_TIMER_SECONDS = 2_147_483
/** The time for finding out whether a device is at another node, and which sessions it has. */
const LOOK_UP_MS = 5000

/** The will is due after its delay, or at the end of the session if that is earlier. [MQTT-3.1.2-8] */
export function publishWillAfter(parts: GatewayParts, session: Session, ending: Ending): void {
  const { will, account, clientId, expirySeconds, stored } = session
  if (!will || isAnswered(session, ending)) return
  const key = sessionKey(account.id, clientId)
  const delaySeconds = Math.min(will.delaySeconds, expirySeconds, MAX_TIMER_SECONDS)
  const pending: PendingWill = {
    account,
    will,
    // Other nodes may have found this one dead: then the device is perhaps at one of them, and its will would be too late.
    isLate: !parts.ctx.nodes.liveness.isCertain(),
    session: stored,
    timer: undefined,
    dueMs: undefined,
  }
  parts.pendingWills.set(key, pending)
  if (delaySeconds === 0) return publishDue(parts, key, pending)
  // Only a session that is kept outlives its connection.
  pending.timer = setTimeout(publishDue, delaySeconds * 1000, parts, key, pending)
  delay(parts, key, pending)
}

/** Where a device has more delayed wills than sessions, the session that it left first has ended, perhaps at another node. */
function delay(parts: GatewayParts, key: string, pending: PendingWill): void {
  const { delayedWills } = parts
  const { number } = pending.account
  const own = delayedWills.get(number) ?? new Map<string, PendingWill>()
  delayedWills.set(number, own.set(key, pending))
  if (own.size <= MAX_STORED_SESSIONS_OF_DEVICE) return
  const [first] = own
  publishDue(parts, ...first!)
}

/** Its time has come, or the device has come back. */
function endDelay({ delayedWills }: GatewayParts, key: string, { account, timer }: PendingWill): void {
  clearTimeout(timer)
  const own = delayedWills.get(account.number)
  own?.delete(key)
  if (own?.size === 0) delayedWills.delete(account.number)
}

/** The session has ended, because its device opened too many others: that is the time of its will. */
export function publishWillOfEvicted(parts: GatewayParts, clientNumber: number, sessionNumber: number): void {
  for (const [key, pending] of parts.delayedWills.get(clientNumber) ?? [])
    if (pending.session?.number === sessionNumber) publishDue(parts, key, pending)
}

/**
 * What is retained says in what state the device is. Where its session goes on at another node, that session says so, and
 * nothing tells which of the two messages would be stored first.
 */
const isAnswered = ({ will, topics }: Session, { isTakenByOtherNode = false }: Ending): boolean =>
  isTakenByOtherNode && will!.retain && deviceTopic(topics, will!.topic).kind === 'other'

function publishDue(parts: GatewayParts, key: string, pending: PendingWill): void {
  endDelay(parts, key, pending)
  pending.dueMs = Date.now()
  track(parts, publishUnlessOver(parts, key, pending))
}

async function publishUnlessOver(parts: GatewayParts, key: string, pending: PendingWill): Promise<void> {
  const isWaiting = () => parts.pendingWills.get(key) === pending
  const isOver = await isDeviceBack(parts, pending)
  let device: DeviceSessions | undefined
  try {
    if (!isOver && isWaiting())
      await retry(LOOK_UP_MS, async () => {
        device = await findSessions(parts, pending.account)
      })
  } catch (error) {
    warn(parts, pending, error)
  }
  // The device came back here meanwhile, and its will was published then.
  if (!isWaiting()) return
  parts.pendingWills.delete(key)
  if (device) await publishWill(parts, device, pending)
}

/** Whether the device is at another node. If that cannot be read, its will is published: its connection did break. */
async function isDeviceBack(
  parts: GatewayParts,
  { session, account, isLate, will }: PendingWill,
): Promise<boolean> {
  const wasDelayed = session && will.delaySeconds > 0
  if (wasDelayed && (await parts.storedSessions.wasResumed(session).catch(() => false))) return true
  let isElsewhere = false
  // The connections of this node to the database may be closed.
  if (isLate)
    await retry(LOOK_UP_MS, async () => {
      isElsewhere = await isConnectedElsewhere(parts.ctx, account.id)
    }).catch(() => {})
  return isElsewhere
}

/** A session of the device has begun here, and none of its messages has arrived. */
export function settleWill(parts: GatewayParts, session: Session): void {
  const key = sessionKey(session.account.id, session.clientId)
  const pending = parts.pendingWills.get(key)
  if (!pending) return
  endDelay(parts, key, pending)
  parts.pendingWills.delete(key)
  const isDelayed = pending.dueMs === undefined
  // Where the session was not resumed it has ended, which is the time of its will.
  if (isDelayed ? session.isResumed : wasElsewhere(pending, session)) return
  pending.dueMs ??= Date.now()
  track(parts, publishWill(parts, session.device, pending))
}

/** Whether the device has resumed the session at another node in between. */
const wasElsewhere = (pending: PendingWill, { stored }: Session): boolean =>
  stored !== undefined &&
  stored.number === pending.session?.number &&
  stored.generation > pending.session.generation + 1

/** A gateway that stops publishes the wills that wait. @returns once they and those under way are stored, or could not be */
export async function publishAllWills(parts: GatewayParts): Promise<void> {
  for (const [key, pending] of parts.pendingWills) {
    if (pending.dueMs === undefined) publishDue(parts, key, pending)
  }
  await Promise.all(parts.publishingWills)
}

/** @param publishing does not fail */
function track({ publishingWills }: GatewayParts, publishing: Promise<void>): void {
  publishingWills.add(publishing)
  void publishing.then(() => publishingWills.delete(publishing))
}

/** The message has its place in the order once this function returns. */
async function publishWill(parts: GatewayParts, device: DeviceSessions, pending: PendingWill): Promise<void> {
  const { account, will, dueMs } = pending
  const { delaySeconds: _, expirySeconds, ...publication } = will
  const expiresAtMs = expirySeconds === undefined ? undefined : dueMs! + expirySeconds * 1000
  try {
    await publishFor(parts, {
      account,
      device,
      publication: { ...publication, ...(expiresAtMs !== undefined && { expiresAtMs }) },
      receivedAtMs: dueMs!,
    })
  } catch (error) {
    warn(parts, pending, error)
  }
}

const warn = ({ ctx }: GatewayParts, { account }: PendingWill, err: unknown) =>
  ctx.log.warn({ err, device: account.id }, 'a will could not be published')
