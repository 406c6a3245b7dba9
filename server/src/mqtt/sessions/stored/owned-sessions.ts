/** The sessions that this node owns, and their writes that are not durable yet. */
import type { SessionKey } from './stored-sessions.ts'

interface Owned {
  generation: number
  isOwned: boolean
  name: string
  unsettled: number
  onSettled: (() => void)[]
}

export interface OwnedSessions {
  add(key: SessionKey, name: string): void
  /** Its later writes fail; the earlier ones continue. */
  drop(number: number): void
  owns(key: SessionKey): boolean
  find(number: number): SessionKey | undefined
  list(): SessionKey[]
  /** Counts a write until it is settled. */
  track<T>(number: number, write: Promise<T>): Promise<T>
  /** Resolves when the writes of the session with this name are settled. */
  settled(name: string): Promise<void>
}

/** One client's sessions have different client ids. */
export const sessionName = (clientNumber: number, clientId: string): string => `${clientNumber}/${clientId}`

export function createOwnedSessions(): OwnedSessions {
  const sessions = new Map<number, Owned>()
  const numbers = new Map<string, number>()

  const forget = (number: number, session: Owned) => {
    if (session.isOwned || session.unsettled > 0) return
    sessions.delete(number)
    if (numbers.get(session.name) === number) numbers.delete(session.name)
    for (const resolve of session.onSettled.splice(0)) resolve()
  }
  const settle = (number: number, session: Owned) => {
    session.unsettled--
    if (session.unsettled === 0) for (const resolve of session.onSettled.splice(0)) resolve()
    forget(number, session)
  }

  return {
    add: ({ number, generation }, name) => {
      const known = sessions.get(number)
      if (known) Object.assign(known, { generation, isOwned: true })
      else sessions.set(number, { generation, isOwned: true, name, unsettled: 0, onSettled: [] })
      numbers.set(name, number)
    },
    drop: (number) => {
      const session = sessions.get(number)
      if (!session) return
      session.isOwned = false
      forget(number, session)
    },
    owns: ({ number, generation }) => {
      const session = sessions.get(number)
      return session !== undefined && session.isOwned && session.generation === generation
    },
    find: (number) => {
      const session = sessions.get(number)
      return session?.isOwned ? { number, generation: session.generation } : undefined
    },
    list: () =>
      [...sessions].flatMap(([number, { isOwned, generation }]) => (isOwned ? [{ number, generation }] : [])),
    track: (number, write) => {
      const session = sessions.get(number)
      if (!session) return write
      session.unsettled++
      return write.finally(() => settle(number, session))
    },
    settled: async (name) => {
      const session = sessions.get(numbers.get(name) ?? 0)
      if (session && session.unsettled > 0)
        await new Promise<void>((resolve) => void session.onSettled.push(resolve))
    },
  }
}
