import { coalesce } from '../../../lib/coalesce.ts'
import type { Runtime } from '../../../runtime.ts'
import { findResumed } from './find-resumed.ts'
import { listSessions } from './list-sessions.ts'
import { createNotices, subscribeToOthers } from './notices.ts'
import { createOpeningLane } from './opening-lane.ts'
import type { OpeningResult } from './open-sessions.ts'
import type { OwnerOperation } from './operations.ts'
import { createOwnedSessions, type OwnedSessions, sessionName } from './owned-sessions.ts'
import { leaveAsOwner, writeAsOwner } from './owner-writes.ts'
import { choosePacketIds } from './packet-ids.ts'
import type { Request } from './plan-opening.ts'
import { createRetainedLane } from './retained-lane.ts'
import { listRetainedMessages } from './retained-messages.ts'
import type {
  DroppedMessages,
  SessionKey,
  StoredMessage,
  StoredSessionEvents,
  StoredSessions,
} from './stored-sessions.ts'
import { createWriteLane } from './write-lane.ts'

const READS = { maxBatch: 500, concurrency: 2 }

/** Must be called before this node joins. */
export function createStoredSessions(
  runtime: Pick<Runtime, 'db' | 'nodes' | 'log'>,
  events: StoredSessionEvents,
): StoredSessions {
  const { db, nodes, log } = runtime
  const stopping = new AbortController()
  const owned = createOwnedSessions()
  const noticeContext = {
    db,
    nodes,
    log,
    owned,
    events,
    opening: () => opening,
    reclaim: (session: SessionKey) => write({ kind: 'reclaim', session }),
    isStopped: () => stopping.signal.aborted,
  }
  const notices = createNotices(noticeContext)
  const opening = createOpeningLane(runtime, (requests, result) => {
    applyOpening(owned, requests, result)
    void notices.lost(
      result.evicted.map(({ number, generation }) => ({ number, generation: generation + 1 })),
      'evicted',
    )
    for (const { clientNumber, number } of result.evicted) {
      events.onClientChanged(clientNumber)
      events.onEvicted(clientNumber, number)
    }
  })
  const lane = createWriteLane({ db, nodes, onNewMessages: (numbers) => void notices.newMessages(numbers) })
  subscribeToOthers(noticeContext, notices)
  const ownerContext = { owned, lane, log, stopping: stopping.signal }
  const write = (operation: OwnerOperation) => writeAsOwner(ownerContext, operation)
  const putRetained = createRetainedLane(runtime)

  return {
    open: async (request) => {
      // The session includes the pending writes of its former connection.
      await owned.settled(sessionName(request.clientNumber, request.clientId))
      return (await opening.submit({ ...request, kind: 'open' }))!
    },
    remove: async (clientNumber, clientId) => {
      await opening.submit({ kind: 'remove', clientNumber, clientId })
    },
    saveSubscriptions: async (session, subscriptions) => {
      await write({ kind: 'saveSubscriptions', session, subscriptions: [...subscriptions] })
    },
    insertMessage: async (session, publication) =>
      (await write({
        kind: 'insertMessage',
        session,
        publication,
        packetId: publication.packetId,
      })) as number,
    releaseMessage: async (session, messageNumber) => {
      await write({ kind: 'releaseMessage', session, messageNumber })
    },
    deleteMessage: async (session, messageNumber) => {
      await write({ kind: 'deleteMessage', session, messageNumber })
    },
    insertReceived: async (session, packetId) => {
      await write({ kind: 'insertReceived', session, packetId })
    },
    deleteReceived: async (session, packetId) => {
      await write({ kind: 'deleteReceived', session, packetId })
    },
    leave: (session, expirySeconds) => leaveAsOwner(ownerContext, session, expirySeconds),

    wasResumed: coalesce((sessions: SessionKey[]) => findResumed(db, sessions), READS),
    list: coalesce((numbers: number[]) => listSessions(db, numbers), READS),
    insertForOthers: async (receivers, publication, received) => {
      if (receivers.length === 0) return []
      const operation = { kind: 'insertForOthers', receivers, publication, received } as const
      return (await lane.submit(operation)) as DroppedMessages[]
    },
    takeNewMessages: async (session, usedPacketIds) => {
      const packetIds = choosePacketIds(usedPacketIds)
      return (await write({ kind: 'takeNewMessages', session, packetIds })) as StoredMessage[]
    },

    putRetained: (clientNumber, publication) => putRetained({ clientNumber, publication }),
    listRetained: coalesce((numbers: number[]) => listRetainedMessages(db, numbers), READS),

    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await lane.settled()
      await opening.answered()
    },
  }
}

function applyOpening(
  owned: OwnedSessions,
  requests: Request[],
  { outcomes, removed, evicted }: OpeningResult,
) {
  for (const [index, outcome] of outcomes.entries())
    if (outcome && !(outcome instanceof Error)) {
      const { clientNumber, clientId } = requests[index]!
      owned.add(outcome.key, sessionName(clientNumber, clientId))
    }
  // One that was evicted is dropped when the gateway is notified.
  for (const session of removed) if (!evicted.includes(session)) owned.drop(session.number)
}
