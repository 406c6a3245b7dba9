import { type Instant, useFormat } from '../../format.ts'
import { useNow } from '../use-now.ts'

/** `4 min ago`, and the date, the time and the zone on hover and for screen readers. */
export function RelativeTime({ at }: { at: Instant }) {
  const format = useFormat()
  const now = useNow(1000)
  const full = format.full(at)
  return (
    <time dateTime={new Date(at).toISOString()} title={full}>
      <span aria-hidden>{format.relative(at, now)}</span>
      <span className="visually-hidden">{full}</span>
    </time>
  )
}
