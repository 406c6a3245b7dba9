/**
 * Ends a session that is not stored when its device connects to another node with the same client id. Stored sessions have
 * an owner instead. Each node announces the sessions that begin there. All nodes receive the announcements in one order,
 * their own ones too: of two sessions that begin at the same time the one that was announced later stays. [docs/mqtt#sessions]
 */
import { createHash } from 'node:crypto'
import type { Runtime } from '../../runtime.ts'
import { coalesce } from '../../lib/coalesce.ts'
import { channel, halve } from '../../nodes/channel.ts'
import type { Session } from '../state.ts'

export interface Takeovers {
  /** The session began at this node. */
  announce(session: Session): void
}

interface SessionsBegan {
  began: Announcement[]
  /** The sender has lost announcements, so that all nodes are to send theirs again. */
  isAsking?: boolean
}

export interface Announcement {
  clientNumber: number
  /** Client ids may be longer than a message. */
  clientIdHash: string
  /** Counts the announcements of a node. */
  place: number
}

const sessionsBegan = channel<SessionsBegan>('gangway_mqtt_sessions_began', {
  split: halve('began'),
  isByDatabase: true,
})

/** A session began at another node. @param newer the sessions of this node that began later */
type OnBegan = (announcement: Announcement, newer: ReadonlySet<Session>) => void

/** A node notices sooner that it receives no messages. */
const LATELY_MS = 300_000

interface Options {
  onBegan: OnBegan
  /** The sessions with a connection to this node. */
  listSessions(): Iterable<Session>
}

/** Must be called before this node joins. */
export function createTakeovers(
  ctx: Pick<Runtime, 'db' | 'nodes' | 'log'>,
  { onBegan, listSessions }: Options,
): Takeovers {
  /** The sessions whose announcements have not arrived yet: announcements of others are older. */
  const newer = new Set<Session>()
  /** The same sessions, by the places of their announcements. */
  const pending = new Map<number, Session>()
  let announced = 0
  const settle = (place: number) => {
    newer.delete(pending.get(place)!)
    pending.delete(place)
  }

  const publish = coalesce<Announcement, void>(
    async (began) => {
      try {
        await sessionsBegan.publish(ctx, ctx.db, { began })
      } catch (err) {
        ctx.log.warn({ err }, 'other servers could not be notified of new sessions')
        for (const { place } of began) settle(place)
      }
      return began.map(() => undefined)
    },
    { maxBatch: 500, concurrency: 1, gathers: true },
  )

  sessionsBegan.subscribe(ctx, {
    onMessage({ began, isAsking }, { isOwn }) {
      for (const announcement of began)
        if (isOwn) settle(announcement.place)
        else onBegan(announcement, newer)
      if (isAsking && !isOwn) announceAgain(beganLately)
    },
    // Announcements were lost in both directions: this node sends its own again, and asks for those of others.
    async onReconnect() {
      const lost = new Set(newer)
      newer.clear()
      pending.clear()
      if (isFirst) isFirst = false
      else {
        announceAgain((session) => lost.has(session))
        await sessionsBegan.publish(ctx, ctx.db, { began: [], isAsking: true })
      }
    },
  })

  let isFirst = true
  const announceAgain = (isWanted: (session: Session) => boolean) => {
    for (const session of listSessions())
      if (!session.stored && !newer.has(session) && isWanted(session)) announce(session)
  }
  const announce = (session: Session) => {
    if (!ctx.nodes.peers.exist) return
    const place = ++announced
    newer.add(session)
    pending.set(place, session)
    void publish({
      clientNumber: session.account.number,
      clientIdHash: hashClientId(session.clientId),
      place,
    })
  }
  return { announce }
}

const beganLately = ({ connection }: Session) => connection.openedMs > performance.now() - LATELY_MS

export const hashClientId = (clientId: string) => createHash('sha256').update(clientId).digest('base64url')
