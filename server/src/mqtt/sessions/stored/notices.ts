/** Passes on what other nodes do to the sessions of this node. */
import type { Runtime } from '../../../runtime.ts'
import { clientsChanged, sessionsChanged } from './channels.ts'
import { findMissedChanges } from './find-missed-changes.ts'
import type { OpeningLane } from './opening-lane.ts'
import type { OwnedSessions } from './owned-sessions.ts'
import type { LossReason, SessionKey, StoredSessionEvents } from './stored-sessions.ts'

interface NoticeContext extends Pick<Runtime, 'db' | 'nodes' | 'log'> {
  owned: OwnedSessions
  /** Created later than the notices that it causes. */
  opening: () => OpeningLane
  events: StoredSessionEvents
  /** Makes a session of this node count as connected again. */
  reclaim(session: SessionKey): Promise<unknown>
  isStopped: () => boolean
}

/** Each waits until a session that was opened before has its answer. */
export interface Notices {
  newMessages(sessionNumbers: number[]): Promise<void>
  /** @param opened with the generations of the new owners; without one after they were removed here */
  lost(opened: SessionKey[], reason: LossReason): Promise<void>
}

export const createNotices = ({ owned, opening, events, isStopped }: NoticeContext): Notices => ({
  newMessages: async (sessionNumbers) => {
    await opening().answered()
    for (const number of sessionNumbers) if (owned.find(number) && !isStopped()) events.onNewMessages(number)
  },
  lost: async (opened, reason) => {
    await opening().answered()
    for (const { number, generation } of opened) {
      const known = owned.find(number)
      if (!known || known.generation >= generation || isStopped()) continue
      owned.drop(number)
      events.onLost(number, reason)
    }
  },
})

/** Must be called before this node joins. */
export function subscribeToOthers(ctx: NoticeContext, notices: Notices): void {
  const { events, isStopped, reclaim } = ctx
  sessionsChanged.subscribe(ctx, {
    onMessage: async ({ opened, withMessages }, { isOwn }) => {
      if (isOwn) return
      await notices.lost(opened, 'elsewhere')
      await notices.newMessages(withMessages)
    },
  })
  const catchUp = async () => {
    if (isStopped()) return
    events.onAnyClientChanged()
    const missed = await findMissedChanges(ctx.db, ctx.owned.list())
    await notices.lost(missed.lost, 'elsewhere')
    // One that is lost or left meanwhile needs nothing.
    await Promise.allSettled(missed.left.map(reclaim))
    await notices.newMessages(missed.withMessages)
  }
  clientsChanged.subscribe(ctx, {
    onMessage: ({ clientNumbers, includesOwn }, { isOwn }) => {
      if (isOwn && !includesOwn) return
      if (!isStopped()) for (const clientNumber of clientNumbers) events.onClientChanged(clientNumber)
    },
    onReconnect: catchUp,
  })
  // Messages are not published while no other node is known.
  ctx.nodes.peers.onMet.push(() => {
    catchUp().catch((error: unknown) =>
      ctx.log.error({ err: error }, 'changes of stored sessions cannot be read'),
    )
  })
}
