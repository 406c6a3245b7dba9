/** Keeps a real-time connection open: resumes it after a break, or opens another one where the server no longer has it. */
import { isFinal, type Live, pause, retryAfterMs, setState } from './live.ts'
import { openConnection, resumeConnection } from './open-connection.ts'
import { replaceBeforeExpiry } from './replace-connection.ts'
import { type Closing, NotOpened } from './socket.ts'
import { loseSubscription, synchronizeAll } from './synchronize.ts'
import { chooseDelay } from './timing.ts'

/** The close code for a connection that cannot be resumed. */
const REFUSED = 1008
/** The close codes with which the server has ended a connection. */
const ended = new Set([1000, 1001, 1005, REFUSED, 1013])

export async function keepConnected(live: Live): Promise<void> {
  let attempts = 0
  while (!live.isClosed) {
    const startedAtMs = performance.now()
    try {
      await reconnect(live)
      handleBreak(live, await untilClosed(live))
      if (performance.now() - startedAtMs > live.timing.steadyMs) attempts = 0
      await pause(live, chooseDelay(live.timing, attempts++))
    } catch (error) {
      const delayMs = Math.max(retryAfterMs(error), chooseDelay(live.timing, attempts++))
      if (isFinal(error)) setState(live, { name: 'refused', since: new Date(), error })
      else reportBreak(live, error as Error)
      await pause(live, isFinal(error) ? Infinity : delayMs)
    }
  }
}

async function reconnect(live: Live): Promise<void> {
  live.connection = (await resume(live)) ?? (await openConnection(live))
  if (live.isClosed) return live.connection.socket.close()
  live.lost = undefined
  replaceBeforeExpiry(live, live.connection)
  void becomeLive(live)
}

/** @returns undefined if there is nothing to resume */
async function resume(live: Live) {
  const { lost, timing } = live
  if (!lost) return undefined
  try {
    if (performance.now() - lost.atMs < timing.resumeMs) return await resumeConnection(live, lost.session)
  } catch (error) {
    if (!(error instanceof NotOpened && error.closing.code === REFUSED)) throw error
  }
  forgetSession(live)
  return undefined
}

/** The subscriptions have ended with the session. */
function forgetSession(live: Live): void {
  const since = live.state.since
  live.lost = undefined
  live.gapSince ??= since
  for (const watch of live.watches) loseSubscription(live, watch, since)
}

/** Values are not live before the subscriptions are up again. */
async function becomeLive(live: Live): Promise<void> {
  const { connection } = live
  await synchronizeAll(live)
  if (live.connection !== connection) return
  setState(live, { name: 'live', since: new Date() })
  const since = live.gapSince
  live.gapSince = undefined
  if (since) live.onGap({ since })
}

/** Waits for the end of the connection, or of the one that replaced it. */
async function untilClosed(live: Live): Promise<Closing> {
  for (;;) {
    const connection = live.connection!
    const closing = await connection.socket.closed
    if (live.connection === connection) return closing
  }
}

function handleBreak(live: Live, { code, reason }: Closing): void {
  const { session } = live.connection!
  live.connection = undefined
  reportBreak(live, new Error(`The real-time connection has ended (${code} ${reason}).`))
  if (ended.has(code)) forgetSession(live)
  else live.lost = { session, atMs: performance.now() }
}

/** Values are as of the moment at which the server was last heard. */
function reportBreak(live: Live, error: Error): void {
  const { name, since } = live.state
  if (live.heardAt === undefined) return setState(live, { name: 'connecting', since, error })
  setState(live, { name: 'reconnecting', since: name === 'reconnecting' ? since : live.heardAt, error })
}
