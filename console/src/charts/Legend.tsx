import { useMemo } from 'react'
import { useFormat } from '../format.ts'
import { Icon } from '../parts/Icon.tsx'
import { useWords } from '../words/words.tsx'
import { createValueFormat } from './plot/numbers.ts'
import { type ChartSeries, colorIndex, isNumeric } from './plot/model.ts'
import { summarize } from './samples/summary.ts'
import { Swatch } from './Swatch.tsx'
import type { Range } from './time/range.ts'
import styles from './Chart.module.css'

interface Props {
  series: ChartSeries[]
  decimals?: number | undefined
  range: Range
  hidden: ReadonlySet<string>
  onToggle: (id: string) => void
  onRemove: ((id: string) => void) | undefined
  /** A new version makes the legend read the samples again, which change in place. */
  version: number
}

/** Series with their last, least, mean and greatest value in the range. A click hides or shows a series. */
export function Legend({ series, decimals, range, hidden, onToggle, onRemove, version }: Props) {
  const words = useWords('charts')
  const { locale } = useFormat()
  const format = useMemo(() => createValueFormat(locale, decimals), [locale, decimals])
  const summaries = useMemo(
    () => series.map(({ samples }) => summarize(samples, range)),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- samples change in place
    [series, range, version],
  )
  return (
    <div className={styles.legend}>
      <table className={styles.legendTable}>
        <thead>
          <tr>
            <th scope="col">{words.series}</th>
            {[words.current, words.least, words.average, words.greatest].map((title) => (
              <th key={title} scope="col" className={styles.numeric}>
                {title}
              </th>
            ))}
            {onRemove && <td />}
          </tr>
        </thead>
        <tbody>
          {series.map((each, index) => {
            const summary = summaries[index]
            const isShown = !hidden.has(each.id)
            const show = (value: number) => (isNumeric(each) ? format(value, each.unit) : '')
            const cells = summary
              ? [
                  isNumeric(each)
                    ? each.bucketMs === undefined
                      ? show(summary.last)
                      : ''
                    : (each.samples.states?.[summary.last] ?? ''),
                  ...[summary.least, summary.mean, summary.greatest].map(show),
                ]
              : [words.noValue, '', '', '']
            return (
              <tr key={each.id} data-hidden={!isShown || undefined}>
                <th scope="row">
                  <button
                    type="button"
                    className={styles.entry}
                    aria-pressed={isShown}
                    title={isShown ? words.hide(each.label) : words.show(each.label)}
                    onClick={() => onToggle(each.id)}
                  >
                    <Swatch color={colorIndex(each, index)} ink={each.ink} />
                    <bdi>{each.label}</bdi>
                  </button>
                </th>
                {cells.map((text, column) => (
                  <td key={column} className={styles.numeric}>
                    <bdi>{text}</bdi>
                  </td>
                ))}
                {onRemove && (
                  <td className={styles.remove}>
                    <button
                      type="button"
                      className={styles.tool}
                      aria-label={words.remove(each.label)}
                      title={words.remove(each.label)}
                      onClick={() => onRemove(each.id)}
                    >
                      <Icon name="close" />
                    </button>
                  </td>
                )}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
