/**
 * Ends the connections that may have missed messages of other nodes. What was missed is not known: an alarm may have been
 * cleared, and a device may not send again. Their clients open new connections, and get the last values.
 * [docs/push#several-servers]
 */
import type { Connection, Push } from '../state.ts'
import { endConnection, REFUSED } from './connection.ts'

/** The ways on which messages come are mostly lost and found together. */
const GATHER_MS = 1000

/** @param findPush returns the push state, which is created after this function of it */
export function createRestart(findPush: () => Push): () => void {
  const present = new Set<Connection>()
  let timer: NodeJS.Timeout | undefined
  const restart = () => {
    timer = undefined
    // The public client resumes after any other code, and would keep what it knows.
    for (const connection of present)
      endConnection(findPush(), connection, REFUSED, 'Updates may have been missed. Open a new connection.')
    present.clear()
  }
  return () => {
    for (const connection of findPush().connections.values()) present.add(connection)
    if (present.size > 0) timer ??= setTimeout(restart, GATHER_MS).unref()
  }
}
