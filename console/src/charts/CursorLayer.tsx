import { colorToken } from './plot/look.ts'
import { type ChartContent, colorIndex } from './plot/model.ts'
import { Swatch } from './Swatch.tsx'
import type { ReadingWords } from './readings.ts'
import { span } from './time/range.ts'
import type { ChartControl } from './use-plot.ts'
import styles from './Chart.module.css'

interface Props {
  chart: ChartControl
  content: ChartContent
  words: ReadingWords
}

/** Layer over the plot: the selection of a drag, the cursor line, and the tooltip with the values. */
export function CursorLayer({ chart, content, words }: Props) {
  const { plot, cursor, selection, geometry } = chart
  if (!plot) return null
  const range = plot.range()
  const toX = (time: number) => geometry.left + ((time - range.from) / span(range)) * geometry.width
  const isInside = cursor !== null && cursor.time >= range.from && cursor.time <= range.to
  return (
    <div className={styles.layer} aria-hidden>
      {selection && (
        <div
          className={styles.selection}
          style={{
            left: toX(selection.from),
            width: toX(selection.to) - toX(selection.from),
            height: geometry.top + geometry.height,
          }}
        />
      )}
      {isInside && (
        <>
          <div
            className={styles.line}
            style={{ transform: `translateX(${toX(cursor.time)}px)`, height: geometry.top + geometry.height }}
          />
          <Values chart={chart} content={content} words={words} x={toX(cursor.time)} />
        </>
      )}
    </div>
  )
}

const MOST_SHOWN = 12

function Values({ chart, content, words, x }: Props & { x: number }) {
  const { plot, cursor, geometry } = chart
  const values = plot!.read(cursor!.time)
  const isLeft = x > geometry.left + geometry.width / 2
  const time = values[cursor!.series]?.time ?? cursor!.time
  return (
    <>
      {values.map((reading, index) => {
        const y = reading && plot!.yOf(index, reading.value)
        if (!reading || y === null) return null
        const series = content.series[index]!
        const color = series.ink ?? colorToken(colorIndex(series, index))
        return (
          <i
            key={series.id}
            className={styles.dot}
            style={{ transform: `translate(${x}px, ${y}px)`, background: color }}
          />
        )
      })}
      <div
        className={styles.values}
        style={isLeft ? { right: `calc(100% - ${x - 12}px)` } : { left: x + 12 }}
      >
        <p className={styles.when}>{words.time(time)}</p>
        {content.series.slice(0, MOST_SHOWN).map((series, index) => {
          const reading = values[index] ?? null
          const envelope = words.envelope(series, reading)
          return (
            <p key={series.id} className={styles.value} data-chosen={index === cursor!.series || undefined}>
              <Swatch color={colorIndex(series, index)} ink={series.ink} />
              <bdi className={styles.name}>{series.label}</bdi>
              <span className={styles.number}>{words.value(series, reading)}</span>
              {envelope && <span className={styles.envelope}>{envelope}</span>}
            </p>
          )
        })}
      </div>
    </>
  )
}
