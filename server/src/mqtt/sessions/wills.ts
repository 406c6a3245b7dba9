/**
 * Wills: messages that the gateway publishes for a device whose connection ended without its DISCONNECT. On MQTT 5 a
 * will may wait, and is discarded when the device resumes its session meanwhile. [MQTT 5.0, 3.1.2.5, 3.1.3.2.2]
 */
import type { Account } from '../authentication/accounts.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { publishFor } from '../publish/route-message.ts'
import { retry } from '../../lib/retry.ts'
import { isConnectedElsewhere } from '../../providers/method-relay/is-connected-elsewhere.ts'
import type { DelayedWill, Session, Will } from '../state.ts'
import { sessionKey } from './sessions.ts'

const MAX_TIMER_SECONDS = 2_147_483
/** The time for finding out whether a device is at another node. */
const LOOK_UP_MS = 5000

/** The will is due after its delay, or at the end of the session if that is earlier. [MQTT-3.1.2-8] */
export function publishWillAfter(parts: GatewayParts, session: Session): void {
  const { will, account, clientId, expirySeconds, stored } = session
  if (!will) return
  const delaySeconds = Math.min(will.delaySeconds, expirySeconds, MAX_TIMER_SECONDS)
  // Other nodes may have found this one dead: then the device is perhaps at one of them, and its will would be too late.
  const isLate = !parts.ctx.nodes.liveness.isCertain()
  if (delaySeconds === 0) return track(parts, publishUnlessLate(parts, { account, will, isLate }))
  const key = sessionKey(account.id, clientId)
  const timer = setTimeout(() => {
    parts.delayedWills.delete(key)
    track(parts, publishUnlessResumed(parts, delayed))
  }, delaySeconds * 1000)
  // Only a session that is kept outlives its connection.
  const delayed = { account, will, isLate, timer, session: stored! }
  parts.delayedWills.set(key, delayed)
}

/** The device may have resumed its session at another node. */
async function publishUnlessResumed(parts: GatewayParts, { session, ...late }: DelayedWill): Promise<void> {
  // If that cannot be read, the will is published: it says that the connection broke, which it did.
  const wasResumed = await parts.storedSessions.wasResumed(session).catch(() => false)
  if (!wasResumed) await publishUnlessLate(parts, late)
}

async function publishUnlessLate(
  parts: GatewayParts,
  { account, will, isLate }: Pick<DelayedWill, 'account' | 'will' | 'isLate'>,
): Promise<void> {
  let isElsewhere = false
  // The connections of this node to the database may be closed. If it cannot be read, the will is published.
  if (isLate)
    await retry(LOOK_UP_MS, async () => {
      isElsewhere = await isConnectedElsewhere(parts.ctx, account.id)
    }).catch(() => {})
  if (!isElsewhere) await publishWill(parts, account, will)
}

/** The device came back. @param isResumed whether to its session; the end of a session is the time of its will */
export function settleWill(parts: GatewayParts, key: string, isResumed: boolean): void {
  const delayed = parts.delayedWills.get(key)
  if (!delayed) return
  clearTimeout(delayed.timer)
  parts.delayedWills.delete(key)
  if (!isResumed) track(parts, publishWill(parts, delayed.account, delayed.will))
}

/** A gateway that stops publishes the wills that wait. @returns once they and those under way are stored, or could not be */
export async function publishAllWills(parts: GatewayParts): Promise<void> {
  const delayed = [...parts.delayedWills.values()]
  parts.delayedWills.clear()
  for (const { timer } of delayed) clearTimeout(timer)
  for (const will of delayed) track(parts, publishUnlessResumed(parts, will))
  await Promise.all(parts.publishingWills)
}

/** @param publishing does not fail */
function track({ publishingWills }: GatewayParts, publishing: Promise<void>): void {
  publishingWills.add(publishing)
  void publishing.then(() => publishingWills.delete(publishing))
}

async function publishWill(
  parts: GatewayParts,
  account: Account,
  { delaySeconds: _, expirySeconds, ...will }: Will,
): Promise<void> {
  const expiresAtMs = expirySeconds === undefined ? undefined : Date.now() + expirySeconds * 1000
  try {
    await publishFor(parts, account, { ...will, ...(expiresAtMs !== undefined && { expiresAtMs }) })
  } catch (error) {
    parts.ctx.log.warn({ err: error, device: account.id }, 'a will could not be published')
  }
}
