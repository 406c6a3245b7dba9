import type { TelemetryEvent } from '@gangway/client'
import { useFormat } from '../../../format.ts'
import { Name } from '../../../parts/Id.tsx'
import { Value } from '../../../parts/Value.tsx'
import { useWords } from '../../../words/words.tsx'
import styles from './Flow.module.css'

const WIDTH = 600
const HEIGHT = 96
const MARGIN = 6

/** A chart of one signal since the page was opened. */
export function SignalChart({ name, events }: { name: string; events: TelemetryEvent[] }) {
  const words = useWords('firstDevice')
  const format = useFormat()
  const last = events.at(-1)!
  const points = events
    .filter(({ value }) => typeof value === 'number' || typeof value === 'boolean')
    .map(({ time, value }) => ({ at: Date.parse(time), value: Number(value) }))
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.caption}>
        <Name>{name}</Name>
        <Value value={last.value} at={last.time} isLive />
      </figcaption>
      {points.length > 0 && (
        <>
          <svg
            viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={words.chartOf(name, format.number(points.length))}
            className={styles.plot}
          >
            <Line points={points} />
          </svg>
          <p className={styles.axis}>
            <span>{format.time(points[0]!.at)}</span>
            <span>{words.values(format.number(points.length))}</span>
            <span>{format.time(points.at(-1)!.at)}</span>
          </p>
        </>
      )}
    </figure>
  )
}

function Line({ points }: { points: { at: number; value: number }[] }) {
  const [from, to] = [points[0]!.at, points.at(-1)!.at]
  const [low, high] = [
    Math.min(...points.map(({ value }) => value)),
    Math.max(...points.map(({ value }) => value)),
  ]
  const x = (at: number) =>
    from === to ? WIDTH / 2 : MARGIN + ((at - from) / (to - from)) * (WIDTH - 2 * MARGIN)
  const y = (value: number) =>
    low === high ? HEIGHT / 2 : HEIGHT - MARGIN - ((value - low) / (high - low)) * (HEIGHT - 2 * MARGIN)
  const path = points.map(({ at, value }) => `${x(at)} ${y(value)}`).join(' L')
  return (
    <>
      <path d={`M${path}`} className={styles.line} />
      {/* Points are lines of length zero: a stretched chart does not distort them. */}
      {points.map(({ at, value }) => (
        <path key={at} d={`M${x(at)} ${y(value)}h0`} className={styles.point} />
      ))}
    </>
  )
}
