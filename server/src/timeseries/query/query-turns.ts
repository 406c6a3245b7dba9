import { createTurns } from '../../lib/take-turns.ts'

/** All queries share the turns, so that forty answers at once block the event loop no longer than one. */
export const nextQueryTurn = createTurns()
