import { Select } from '@mantine/core'
import { useMemo, useState } from 'react'
import { Chart, type ChartSeries } from '../../charts/Chart.tsx'
import type { Range } from '../../charts/time/range.ts'
import { useFormat } from '../../format.ts'
import { useLiveState } from '../../live/LiveProvider.tsx'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { PageHead } from '../../parts/layout/ListPage.tsx'
import { Outdated } from '../../parts/Outdated.tsx'
import { Empty, Failed, Loading, Notice } from '../../parts/State.tsx'
import { resolveRange, type TimeRange, timeRange } from '../../parts/time/time-range.ts'
import { TimeRangePicker } from '../../parts/time/TimeRangePicker.tsx'
import { choice, text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { CopyLink } from './CopyLink.tsx'
import styles from './Explore.module.css'
import { ExportButton } from './ExportButton.tsx'
import { envelopeTypes, writeBody } from './query-signals.ts'
import {
  aggregation,
  aggregations,
  chooseResolution,
  intervalField,
  intervals,
  type Resolution,
} from './resolution.ts'
import { groupByOwner, labelSignal, MOST_SIGNALS, type Signal, signalList } from './signal.ts'
import SignalPicker from './SignalPicker.tsx'
import { useOwnerZones } from './use-owner-zones.ts'
import { type Signals, useSignals } from './use-signals.ts'
import { useUnits } from './use-units.ts'
import { zoneOptions } from './zone-options.ts'

const fields = {
  signals: signalList(),
  range: timeRange('1h'),
  by: aggregation(),
  every: intervalField(),
  zone: text(),
  table: choice(['off', 'on']),
}

/** Options that a list shows at a time. */
const MOST_OPTIONS = 100

/** Approximate width of the chart, so that a slightly different window does not change the queries. */
const chartWidth = () => (window.innerWidth < 760 ? 360 : 1100)

/** Page that charts any signals over any time range. Its whole state is in the address. */
export default function ExplorePage() {
  const words = useWords('explore')
  const [state, change] = useUrlState(fields)
  const { zone: viewerZone } = useFormat()
  const [back, setBack] = useState<TimeRange | null>(null)
  const ownerZones = useOwnerZones(state.signals)
  const zone = state.zone || viewerZone
  const isLive = state.range.kind === 'last'
  // A relative range is resolved when it is chosen; from then on the chart moves by itself.
  const range = useMemo<Range>(() => {
    const { fromMs, toMs } = resolveRange(state.range, Date.now())
    return { from: fromMs, to: toMs }
  }, [state.range])
  const width = chartWidth()
  const resolution = chooseResolution({
    aggregation: state.by,
    interval: state.every,
    spanMs: range.to - range.from,
    width,
  })
  const query = { signals: state.signals, range, resolution, zone, width }
  const signals = useSignals(query, { isLive })
  const requests = [...groupByOwner(state.signals)].map(([ownerId, members]) =>
    example('post', '/v1/timeseries/get', {
      body: writeBody({
        ownerId,
        signals: members,
        range,
        zone,
        aggregation: exampleAggregation(resolution),
      }),
    }),
  )
  const toggle = (signal: Signal) => {
    const rest = state.signals.filter(({ id }) => id !== signal.id)
    void change({
      signals: rest.length < state.signals.length ? rest : [...state.signals, signal].slice(0, MOST_SIGNALS),
    })
  }
  const zoom = ({ from, to }: Range) => {
    setBack((present) => present ?? state.range)
    // Only the first zoom adds to the browser's history, so that its Back button undoes all zooms.
    void change({ range: { kind: 'fixed', fromMs: from, toMs: to } }, { push: back === null })
  }
  const choose = (chosen: TimeRange) => {
    setBack(null)
    void change({ range: chosen })
  }
  const hasSignals = state.signals.length > 0
  return (
    <div className={styles.page}>
      <PageHead
        title={words.title}
        text={hasSignals ? undefined : words.what}
        actions={
          <>
            <TimeRangePicker value={state.range} onChange={choose} />
            {hasSignals && (
              <ExportButton
                signals={state.signals}
                range={range}
                zone={zone}
                aggregation={exampleAggregation(resolution)}
                buckets={describeBuckets(resolution, words)}
              />
            )}
            {hasSignals && <CopyLink zone={zone} />}
            {hasSignals && <CodeExamples requests={requests} />}
          </>
        }
      />
      <div className={styles.body}>
        <SignalPicker chosen={state.signals} onToggle={toggle} />
        <section className={styles.main} aria-label={words.chart}>
          <div className={styles.options}>
            <Choice
              label={words.aggregateBy}
              value={state.by}
              options={aggregations.map((value) => ({ value, label: words.aggregations[value] }))}
              onChange={(by) => void change({ by })}
            />
            {state.by !== 'raw' && (
              <Choice
                label={words.every}
                value={state.every}
                options={['auto' as const, ...intervals].map((value) => ({
                  value,
                  label: words.intervals[value],
                }))}
                onChange={(every) => void change({ every })}
              />
            )}
            <Choice
              label={words.zone}
              value={state.zone}
              options={zoneOptions({ chosen: state.zone, viewer: viewerZone, owners: ownerZones }, words)}
              onChange={(chosen) => void change({ zone: chosen })}
              isSearchable
            />
            {signals.data && (
              <p className={styles.resolution}>{describeResolution(signals, resolution, words)}</p>
            )}
          </div>
          {hasSignals ? (
            <SignalChart
              {...{ state, range, signals, isLive, zone }}
              onRange={zoom}
              onReset={() => back && choose(back)}
              onTable={(isShown) => void change({ table: isShown ? 'on' : 'off' })}
              onRemove={(id) => void change({ signals: state.signals.filter((signal) => signal.id !== id) })}
            />
          ) : (
            <Empty icon="explore" title={words.emptyTitle} text={words.emptyText} />
          )}
        </section>
      </div>
    </div>
  )
}

interface SignalChartProps {
  state: { signals: Signal[]; table: 'off' | 'on' }
  range: Range
  signals: Signals
  isLive: boolean
  zone: string
  onRange: (range: Range) => void
  onReset: () => void
  onTable: (isShown: boolean) => void
  onRemove: (id: string) => void
}

function SignalChart({ state, signals, isLive, ...props }: SignalChartProps) {
  const words = useWords('explore')
  const format = useFormat()
  const live = useLiveState()
  const units = useUnits(state.signals)
  const { data } = signals
  const series = useMemo<ChartSeries[]>(
    () =>
      (data ?? []).map(({ signal, samples, bucketMs }) => ({
        id: signal.id,
        samples,
        bucketMs,
        unit: units[signal.id],
        quantity: signal.name,
        label: labelSignal(
          signal,
          data!.map((other) => other.signal),
        ),
      })),
    [data, units],
  )
  if (signals.error && !data) return <Failed error={signals.error} onRetry={signals.reload} />
  if (!data) return <Loading />
  return (
    <>
      {signals.error && <Outdated error={signals.error} text={words.notRefreshed} onRetry={signals.reload} />}
      {isLive && live.kind === 'reconnecting' && (
        <Notice kind="warning">{words.stale(format.time(live.sinceMs))}</Notice>
      )}
      {data.some(({ isCut }) => isCut) && <Notice kind="warning">{words.cut}</Notice>}
      {data.every(({ samples }) => samples.length === 0) && <Notice kind="info">{words.noSamples}</Notice>}
      <div className={styles.chart} data-loading={signals.isFetching || undefined}>
        <Chart
          {...props}
          label={words.chartOf(series.map(({ label }) => label).join(', '))}
          series={series}
          isLive={isLive}
          subscribe={signals.subscribe}
          height={420}
          isTableShown={state.table === 'on'}
        />
      </div>
    </>
  )
}

function Choice<T extends string>(props: {
  label: string
  value: T
  options: { value: T; label: string }[]
  onChange: (value: T) => void
  /** For long lists, which are found by typing. */
  isSearchable?: boolean
}) {
  const common = useWords('common')
  return (
    <Select
      className={styles.choice}
      label={props.label}
      data={props.options}
      value={props.value}
      searchable={props.isSearchable}
      limit={props.isSearchable ? MOST_OPTIONS : undefined}
      nothingFoundMessage={common.nothingFound}
      onChange={(value) => value !== null && props.onChange(value as T)}
    />
  )
}

function describeBuckets(resolution: Resolution, words: ReturnType<typeof useWords<'explore'>>): string {
  if (resolution.kind === 'raw') return words.everySample
  if (resolution.kind === 'envelope') return words.envelopeOf(words.intervals[resolution.interval])
  return words.singleBucketed(words.aggregations[resolution.type], words.intervals[resolution.interval])
}

function describeResolution(
  { data }: Signals,
  resolution: Resolution,
  words: ReturnType<typeof useWords<'explore'>>,
): string {
  const lengths = new Set((data ?? []).map(({ bucketMs }) => bucketMs))
  if (lengths.size === 1 && lengths.has(undefined)) return words.everySample
  return resolution.kind === 'single' ? describeBuckets(resolution, words) : words.bucketed
}

function exampleAggregation(resolution: Resolution) {
  if (resolution.kind === 'raw') return undefined
  return {
    types: resolution.kind === 'single' ? [resolution.type] : envelopeTypes,
    interval: resolution.interval,
  }
}
