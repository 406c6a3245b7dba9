import { useEffect, useState } from 'react'

/** The present time, again after each interval while the page is visible. */
export function useNow(intervalMs: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const update = () => document.visibilityState === 'visible' && setNow(Date.now())
    const timer = setInterval(update, intervalMs)
    document.addEventListener('visibilitychange', update)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', update)
    }
  }, [intervalMs])
  return now
}
