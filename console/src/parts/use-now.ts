import { useEffect, useState } from 'react'
import { every } from './every.ts'

/** The present time, again at multiples of an interval while the page is visible. */
export function useNow(intervalMs: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const update = () => document.visibilityState === 'visible' && setNow(Date.now())
    const end = every(intervalMs, update)
    document.addEventListener('visibilitychange', update)
    return () => {
      end()
      document.removeEventListener('visibilitychange', update)
    }
  }, [intervalMs])
  return now
}
