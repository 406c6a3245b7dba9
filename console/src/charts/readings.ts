import { useMemo } from 'react'
import { useFormat } from '../format.ts'
import { once } from '../once.ts'
import { useWords } from '../words/words.tsx'
import type { ChartSeries } from './plot/model.ts'
import { createValueFormat } from './plot/numbers.ts'
import type { Reading } from './plot/picture.ts'
import type { Zone } from './time/zone.ts'

/** Values of the series at the cursor. */
export interface ReadValues {
  time: number
  series: ChartSeries[]
  values: (Reading | null)[]
  /** Index of the series that is read out first. */
  first: number
}

export interface ReadingWords {
  time: (at: number) => string
  value: (series: ChartSeries, reading: Reading | null) => string
  /** Least and greatest of the values behind a mean; undefined for a single value. */
  envelope: (series: ChartSeries, reading: Reading | null) => string | undefined
}

/** Functions that write times and values of a chart as text. */
export function useReadingWords(zone: Zone, decimals?: number): ReadingWords {
  const words = useWords('charts')
  const { locale } = useFormat()
  return useMemo(() => {
    const format = createValueFormat(locale, decimals)
    const clock = once(
      () =>
        new Intl.DateTimeFormat(locale, {
          timeZone: zone.name,
          hourCycle: 'h23',
          timeZoneName: 'short',
          weekday: 'short',
          day: 'numeric',
          month: 'short',
          year: 'numeric',
          hour: '2-digit',
          minute: '2-digit',
          second: '2-digit',
        }),
    )
    return {
      time: (at) => clock().format(at),
      value: ({ samples, unit }, reading) => {
        if (!reading) return words.noValue
        return samples.states ? (samples.states[reading.value] ?? '') : format(reading.value, unit)
      },
      envelope: (_, reading) =>
        reading?.isMean ? words.envelope(format(reading.least), format(reading.greatest)) : undefined,
    }
  }, [words, locale, zone, decimals])
}

/** One sentence for screen readers: the time, and the value of each series. */
export function describeReading({ time, series, values, first }: ReadValues, words: ReadingWords): string {
  const order = series.map((_, index) => (index + first) % series.length)
  const parts = order.map((index) => {
    const member = series[index]!
    const reading = values[index] ?? null
    const envelope = words.envelope(member, reading)
    return `${member.label} ${words.value(member, reading)}${envelope ? ` (${envelope})` : ''}`
  })
  const at = values[first]?.time ?? time
  return `${words.time(at)}: ${parts.join(', ')}`
}
