/** Writes of the sessions that this node owns. */
import type { Runtime } from '../../../runtime.ts'
import type { OwnerOperation } from './operations.ts'
import type { OwnedSessions } from './owned-sessions.ts'
import { type SessionKey, SessionLostError } from './stored-sessions.ts'
import type { WriteLane } from './write-lane.ts'

/** A session whose end is not stored would be kept for as long as this node lives. */
const LEAVE_AGAIN_MS = 30_000

export interface OwnerWriteContext extends Pick<Runtime, 'log'> {
  owned: OwnedSessions
  lane: WriteLane
  stopping: AbortSignal
}

export async function writeAsOwner(
  { owned, lane }: OwnerWriteContext,
  operation: OwnerOperation,
): Promise<unknown> {
  const { session } = operation
  if (!owned.owns(session)) throw new SessionLostError('This node does not own the session any more.')
  const written = owned.track(session.number, lane.submit(operation))
  if (operation.kind === 'leave') owned.drop(session.number)
  try {
    return await written
  } catch (error) {
    if (error instanceof SessionLostError && owned.owns(session)) owned.drop(session.number)
    throw error
  }
}

/** Tries again in the background where the database is unavailable for longer than the caller waits. */
export async function leaveAsOwner(
  ctx: OwnerWriteContext,
  session: SessionKey,
  expirySeconds: number,
): Promise<void> {
  try {
    await writeAsOwner(ctx, { kind: 'leave', session, expirySeconds })
  } catch (error) {
    if (!(error instanceof SessionLostError)) leaveLater(ctx, session, expirySeconds)
    throw error
  }
}

function leaveLater(ctx: OwnerWriteContext, session: SessionKey, expirySeconds: number): void {
  if (ctx.stopping.aborted) return
  const timer = setTimeout(() => {
    ctx.stopping.removeEventListener('abort', cancel)
    ctx.lane.submit({ kind: 'leave', session, expirySeconds }).catch((error: Error) => {
      ctx.log.warn({ reason: error.message }, 'the end of a stored session cannot be written')
      if (!(error instanceof SessionLostError)) leaveLater(ctx, session, expirySeconds)
    })
  }, LEAVE_AGAIN_MS)
  const cancel = () => clearTimeout(timer)
  ctx.stopping.addEventListener('abort', cancel, { once: true })
}
