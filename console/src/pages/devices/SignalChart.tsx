import { useMemo } from 'react'
import { Chart, type ChartSeries, type OfflineSpan } from '../../charts/Chart.tsx'
import type { Range } from '../../charts/time/range.ts'
import { useWords } from '../../words/words.tsx'
import type { SignalSamples } from '../explore/query-signals.ts'
import type { Signals } from '../explore/use-signals.ts'
import styles from './Devices.module.css'

interface Props {
  samples: SignalSamples | undefined
  name: string
  unit?: string
  range: Range
  offline: OfflineSpan[]
  history: Signals
}

/** Chart of the last hour of one signal. */
export function SignalChart({ samples, name, unit, range, offline, history }: Props) {
  const { live: words } = useWords('devices')
  const series = useMemo<ChartSeries[]>(
    () =>
      samples === undefined
        ? []
        : [
            {
              id: samples.signal.id,
              label: name,
              unit,
              samples: samples.samples,
              bucketMs: samples.bucketMs,
            },
          ],
    [samples, name, unit],
  )
  if (samples === undefined || samples.samples.length === 0)
    return <p className={styles.blank}>{history.isLoading ? '' : words.noChart}</p>
  return (
    <Chart
      label={words.chart(name)}
      series={series}
      range={range}
      offline={offline}
      isLive
      subscribe={history.subscribe}
      height={112}
      hasTools={false}
      hasLegend={false}
    />
  )
}
