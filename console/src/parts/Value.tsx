import { type Instant, useFormat } from '../format.ts'
import { useLiveState } from '../live/LiveProvider.tsx'
import { useWords } from '../words/words.tsx'
import { Icon } from './Icon.tsx'
import { RelativeTime } from './time/RelativeTime.tsx'
import styles from './Value.module.css'

interface Props {
  value: unknown
  unit?: string
  /** When it was measured. */
  at: Instant | null
  /** Whether real-time push keeps it up to date; then a broken connection marks it. */
  isLive?: boolean
}

/** A value with its unit and its age. */
export function Value({ value, unit, at, isLive = false }: Props) {
  const words = useWords('common')
  const format = useFormat()
  const live = useLiveState()
  if (at === null) return <span className={styles.none}>{words.noValue}</span>
  const stale = isLive && live.kind === 'reconnecting' ? words.stale(format.time(live.sinceMs)) : undefined
  return (
    <span className={styles.value} data-stale={stale !== undefined || undefined} title={stale}>
      <ValueText value={value} />
      {unit !== undefined && <span className={styles.unit}>{unit}</span>}
      {stale !== undefined && <Icon name="warning" size={12} />}
      <span className={styles.age}>
        <RelativeTime at={at} />
      </span>
    </span>
  )
}

/** A value of any JSON type in one line. */
export function ValueText({ value }: { value: unknown }) {
  const words = useWords('common')
  const format = useFormat()
  if (typeof value === 'number') return <span>{format.number(value, { maximumFractionDigits: 6 })}</span>
  if (typeof value === 'boolean') return <span>{value ? words.yes : words.no}</span>
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return (
    <span className={styles.text} title={text}>
      <bdi>{text}</bdi>
    </span>
  )
}
