import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { readShownAgain } from '../api/long-list.ts'
import { useSessionState } from '../session/SessionProvider.tsx'
import { useLiveState, useLiveStore } from './LiveProvider.tsx'

const TICK_MS = 5000
/** The timer of a visible page is delayed this long only if the machine or the page was suspended. */
const SLEEP_MS = 15_000

/**
 * Reloads the data on the page after events that may have interrupted updates: a suspension, a break of the real-time
 * connection, or an expired sign-in. Data of a page that was hidden is reloaded by the query library.
 */
export function useFreshData(): void {
  const cache = useQueryClient()
  const live = useLiveStore()
  useAfterBreak(
    useCallback(
      (cause) => {
        if (cause === 'sign-in') live.retry()
        readShownAgain(cache)
      },
      [cache, live],
    ),
  )
}

type Cause = 'suspension' | 'connection' | 'sign-in'

/** Calls the function after what may have interrupted updates, for data that is not in the query library. */
export function useAfterBreak(onBack: (cause: Cause) => void): void {
  const { kind: connection } = useLiveState()
  const { kind: session } = useSessionState()
  const before = useRef({ connection, session })
  const latest = useRef(onBack)
  latest.current = onBack

  useEffect(() => watchSleep(() => latest.current('suspension')), [])
  useEffect(() => {
    const { connection: lastConnection, session: lastSession } = before.current
    before.current = { connection, session }
    if (lastSession === 'expired' && session === 'signed-in') latest.current('sign-in')
    else if (lastConnection === 'reconnecting' && connection === 'live') latest.current('connection')
  }, [connection, session])
}

function watchSleep(onWake: () => void): () => void {
  let tickedAtMs = Date.now()
  let wasVisible = document.visibilityState === 'visible'
  const tick = () => {
    const now = Date.now()
    const isVisible = document.visibilityState === 'visible'
    if (isVisible && wasVisible && now - tickedAtMs > SLEEP_MS) onWake()
    tickedAtMs = now
    wasVisible = isVisible
  }
  const timer = setInterval(tick, TICK_MS)
  // Chromium may freeze a page; its timers then resume where they stopped, without a delay that could be detected.
  document.addEventListener('resume', onWake)
  return () => {
    clearInterval(timer)
    document.removeEventListener('resume', onWake)
  }
}
