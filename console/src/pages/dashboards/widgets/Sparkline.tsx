import { findFirst, type Samples } from '../../../charts/samples/samples.ts'
import type { Range } from '../../../charts/time/range.ts'
import styles from './Widgets.module.css'

const [WIDTH, HEIGHT] = [200, 40]
const MOST_POINTS = 100

interface Props {
  samples: Samples
  range: Range
  color: string | undefined
}

/** A small line without axes: the greatest and the least value of each step, so that no spike is lost. */
export function Sparkline({ samples, range: { from, to }, color }: Props) {
  const spanMs = to - from
  const points = reduce(samples, from, spanMs)
  if (points.length < 2) return null
  const values = points.map(([, value]) => value)
  const [least, greatest] = [Math.min(...values), Math.max(...values)]
  const y = (value: number) =>
    greatest === least ? HEIGHT / 2 : HEIGHT - 2 - ((value - least) / (greatest - least)) * (HEIGHT - 4)
  const path = points.map(
    ([time, value]) => `${(((time - from) / spanMs) * WIDTH).toFixed(1)},${y(value).toFixed(1)}`,
  )
  return (
    <svg
      className={styles.sparkline}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      <polyline points={path.join(' ')} vectorEffect="non-scaling-stroke" style={{ stroke: color }} />
    </svg>
  )
}

function reduce({ times, values, length, least, greatest }: Samples, from: number, spanMs: number) {
  const points: [number, number][] = []
  const step = spanMs / MOST_POINTS
  let index = Math.max(0, findFirst({ times, length }, from))
  while (index < length) {
    const end = times[index]! + step
    let [low, high, at] = [Infinity, -Infinity, times[index]!]
    for (; index < length && times[index]! < end; index++) {
      low = Math.min(low, (least ?? values)[index]!)
      high = Math.max(high, (greatest ?? values)[index]!)
    }
    points.push([at, low])
    if (high !== low) points.push([at + step / 2, high])
  }
  return points
}
