import { useFormat } from '../../../format.ts'
import { findThreshold, readShare, type Scale } from '../board/scale.ts'
import styles from './Widgets.module.css'

interface Props {
  value: unknown
  scale: Scale
}

/** The threshold that a value has reached, by its color and its words. */
export function ThresholdMark({ value, scale }: Props) {
  const format = useFormat()
  const threshold = typeof value === 'number' ? findThreshold(scale, value) : undefined
  if (threshold === undefined) return null
  return (
    <span className={styles.threshold}>
      <span className={styles.thresholdDot} style={{ background: threshold.color }} aria-hidden />
      <bdi>{threshold.label ?? `≥ ${format.number(threshold.value)}`}</bdi>
    </span>
  )
}

/** The place of a value between the limits of its scale; nothing for a scale without both. */
export function ScaleTrack({ value, scale, color }: Props & { color?: string | undefined }) {
  const share = readShare(scale, value)
  if (share === undefined) return null
  const reached = findThreshold(scale, value as number)?.color
  return (
    <span className={styles.scaleTrack} aria-hidden>
      <span className={styles.bar} style={{ width: `${share * 100}%`, background: reached ?? color }} />
    </span>
  )
}
