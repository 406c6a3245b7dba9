import { useFormat } from '../../../format.ts'
import { useLiveState } from '../../../live/LiveProvider.tsx'
import { Icon } from '../../../parts/Icon.tsx'
import { ValueText } from '../../../parts/Value.tsx'
import { useWords } from '../../../words/words.tsx'
import type { Scale } from '../board/scale.ts'
import styles from './Widgets.module.css'

interface Props {
  value: unknown
  scale: Scale
  /** Whether real-time push keeps it up to date; then a broken connection marks it. */
  isLive?: boolean
}

/** A value with its unit. */
export function Reading({ value, scale, isLive = true }: Props) {
  const words = useWords('common')
  const format = useFormat()
  const live = useLiveState()
  if (value === undefined) return <span className={styles.none}>{words.noValue}</span>
  const stale = isLive && live.kind === 'reconnecting' ? words.stale(format.time(live.sinceMs)) : undefined
  const digits = scale.decimals ?? 2
  const options = {
    maximumFractionDigits: digits,
    ...(scale.decimals !== undefined && { minimumFractionDigits: digits }),
  }
  return (
    <span className={styles.reading} data-stale={stale !== undefined || undefined} title={stale}>
      {typeof value === 'number' ? <span>{format.number(value, options)}</span> : <ValueText value={value} />}
      {scale.unit !== undefined && typeof value === 'number' && (
        <span className={styles.unit}>
          <bdi>{scale.unit}</bdi>
        </span>
      )}
      {stale !== undefined && <Icon name="warning" size={14} />}
    </span>
  )
}
