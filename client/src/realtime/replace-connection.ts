/** Replaces a connection before its token expires, so that nothing is missed. */
import type { Connection, Live } from './live.ts'
import { openConnection } from './open-connection.ts'
import { deliver } from './deliver.ts'
import { synchronizeAll } from './synchronize.ts'

/** Timers with a longer delay would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** A connection that a sign-in negotiated goes on while the sign-in does, and is never replaced. */
export function replaceBeforeExpiry(live: Live, connection: Connection): void {
  const { expiresAt } = connection.session
  if (!expiresAt) return
  const remainingMs = expiresAt.getTime() - Date.now()
  const delayMs = Math.max(remainingMs / 2, remainingMs - live.timing.replaceMs)
  if (delayMs > LONGEST_TIMER_MS) return
  const timer = setTimeout(() => void replaceConnection(live, connection).catch(() => {}), delayMs)
  void connection.socket.closed.then(() => clearTimeout(timer))
}

async function replaceConnection(live: Live, before: Connection): Promise<void> {
  const next = await openWithNewToken(live, before)
  if (live.connection !== before || !next) return next?.socket.close()
  live.connection = next
  replaceBeforeExpiry(live, next)
  // A subscription that moves is sent by the old connection up to this moment and by the new one from then on.
  live.isReplacing = true
  await synchronizeAll(live)
  live.isReplacing = false
  await before.socket.check()
  before.socket.close()
  const current = new Set([...live.watches].map((watch) => watch.sent?.id))
  for (const id of live.watchesById.keys()) if (!current.has(id)) live.watchesById.delete(id)
  const held = next.session.held ?? []
  next.session.held = undefined
  for (const data of held) deliver(live, data)
}

/** @returns undefined if there is no token that is valid for longer */
async function openWithNewToken(live: Live, before: Connection): Promise<Connection | undefined> {
  const { tokens } = live.target
  const present = await openConnection(live, { isHeld: true })
  if (isLater(present, before)) return present
  present.socket.close()
  if ((await tokens.renew(await tokens.read())) === undefined) return undefined
  const renewed = await openConnection(live, { isHeld: true })
  if (isLater(renewed, before)) return renewed
  renewed.socket.close()
  return undefined
}

const isLater = ({ session: one }: Connection, { session: other }: Connection) =>
  one.expiresAt === undefined || one.expiresAt > other.expiresAt!
