import { useMemo } from 'react'
import { useFormat } from '../format.ts'
import { useWords } from '../words/words.tsx'
import type { ChartSeries } from './plot/model.ts'
import { useReadingWords } from './readings.ts'
import { listRows } from './samples/rows.ts'
import type { Range } from './time/range.ts'
import type { Zone } from './time/zone.ts'
import styles from './Chart.module.css'

/** The table is cut after this many rows; the export has all of them. */
const MOST_ROWS = 500

/** Table of the values in the chart, the newest first. */
export function ChartTable({ series, range, zone }: { series: ChartSeries[]; range: Range; zone: Zone }) {
  const words = useWords('charts')
  const format = useFormat()
  const readingWords = useReadingWords(zone)
  const { rows, count } = useMemo(
    () =>
      listRows(
        series.map(({ samples }) => samples),
        range,
        MOST_ROWS,
      ),
    [series, range],
  )
  return (
    <div className={styles.tablePart}>
      <div
        className={styles.tableScroll}
        tabIndex={0}
        role="region"
        aria-label={words.tableOf(series.map(({ label }) => label).join(', '))}
      >
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">
                {words.time} ({zone.name})
              </th>
              {series.map(({ id, label }) => (
                <th key={id} scope="col" className={styles.numeric}>
                  <bdi>{label}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ time, indexes }) => (
              <tr key={time}>
                <th scope="row">
                  <time dateTime={new Date(time).toISOString()}>{readingWords.time(time)}</time>
                </th>
                {series.map((each, column) => (
                  <td key={each.id} className={styles.numeric}>
                    <Cell series={each} index={indexes[column]!} words={readingWords} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {count > rows.length && (
        <p className={styles.note}>{words.tableCut(format.number(rows.length), format.number(count))}</p>
      )}
    </div>
  )
}

function Cell({
  series,
  index,
  words,
}: {
  series: ChartSeries
  index: number
  words: ReturnType<typeof useReadingWords>
}) {
  if (index < 0) return null
  const { times, values, least, greatest } = series.samples
  const value = values[index]!
  const reading = {
    time: times[index]!,
    value,
    least: least?.[index] ?? value,
    greatest: greatest?.[index] ?? value,
    isMean: least !== null && least[index] !== greatest?.[index],
  }
  const envelope = words.envelope(series, reading)
  return (
    <>
      <bdi>{words.value(series, reading)}</bdi>
      {envelope && <span className={styles.envelope}> {envelope}</span>}
    </>
  )
}
