import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { Chart, type ChartSeries } from '../../charts/Chart.tsx'
import type { Range } from '../../charts/time/range.ts'
import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { useNow } from '../../parts/use-now.ts'
import { Failed, Loading } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import { useContents } from '../assets/contents.ts'
import { withTimeout } from '../devices/timeout.ts'
import { chooseResolution } from '../explore/resolution.ts'
import { labelSignal, writeSignalIds } from '../explore/signal.ts'
import { useSignals } from '../explore/use-signals.ts'
import { useUnits } from '../explore/use-units.ts'
import { listSignals } from '../rules/signals.ts'
import { makeBand } from '../rules/spans.ts'
import styles from './Alarms.module.css'
import type { Status } from './status.ts'

const WIDTH = 700
/** Each extension reads all values of the chart again. */
const EXTEND_MS = 60_000
const LEAST_MARGIN_MS = 10 * 60_000
const MARGIN_SHARE = 0.5

/** The signals that the rule reads, around the time of the activation, with the alarm as a band. */
export function ActivationChart({ status }: { status: Status }) {
  const { chart: words } = useWords('alarms')
  const { zone } = useFormat()
  const rule = useRule(status.alarmId)
  const modelId = rule.data?.entityTypeId ?? undefined
  const model = useContents(modelId ?? '', { isEnabled: modelId !== undefined })
  const { contents } = model
  const { entityId, activatedAt, inactiveAt, clearedAt } = status
  const signals = useMemo(
    () =>
      rule.data === undefined
        ? []
        : listSignals([rule.data.condition, rule.data.clearCondition], contents, entityId),
    [rule.data, contents, entityId],
  )
  const [start, ended] = [Date.parse(activatedAt), inactiveAt ?? clearedAt]
  const end = ended === null ? null : Date.parse(ended)
  const now = useNow(EXTEND_MS)
  const { from, to } = rangeAround(start, end, now)
  const range = useMemo(() => ({ from, to }), [from, to])
  const [zoom, setZoom] = useState<Range | null>(null)
  const resolution = chooseResolution({
    aggregation: 'auto',
    interval: 'auto',
    spanMs: range.to - range.from,
    width: WIDTH,
  })
  const query = useSignals({ signals, range, resolution, zone, width: WIDTH }, { isLive: false })
  const units = useUnits(signals)
  const series = useMemo<ChartSeries[]>(() => {
    const band = {
      id: 'alarm',
      label: words.lane,
      samples: makeBand([{ from: start, to: end ?? range.to, state: words.isActive }], '', range),
      looks: { '': 'off', [words.isActive]: 'bad' } as const,
      ink: 'var(--bad)',
      isGapless: true,
    }
    const read = (query.data ?? []).map(({ signal, samples, bucketMs }) => ({
      id: signal.id,
      label: labelSignal(signal, signals),
      unit: units[signal.id],
      samples,
      bucketMs,
    }))
    return [...read, band]
  }, [query.data, signals, units, start, end, range, words])
  if (rule.isPending || model.isLoading) return <Loading />
  const note = () => {
    if (rule.data === undefined) return words.noRule
    if (model.error !== null && signals.length === 0) return words.noModel
    if (signals.length === 0) return words.noSignals
    return query.data?.every(({ samples }) => samples.length === 0) ? words.none : undefined
  }
  const explored = {
    signals: writeSignalIds(signals.map(({ id }) => id)),
    range: `${new Date(range.from).toISOString()}..${new Date(range.to).toISOString()}`,
  }
  return (
    <section className={styles.column} aria-label={words.title}>
      <div className={styles.chartHead}>
        <h2 className={styles.subtitle}>{words.title}</h2>
        {signals.length > 0 && <PageAnchor link={links.explore(explored)}>{words.explore}</PageAnchor>}
      </div>
      {query.error !== null && query.data === undefined ? (
        <Failed error={query.error} onRetry={query.reload} />
      ) : (
        <>
          {note() !== undefined && <p className={styles.quiet}>{note()}</p>}
          {signals.length > 0 && (
            <Chart
              label={words.label(status.alarmName)}
              series={series}
              range={zoom ?? range}
              onRange={setZoom}
              onReset={() => setZoom(null)}
              height={280}
            />
          )}
        </>
      )}
    </section>
  )
}

/** The activation with what was before and after it. It grows with the time until it has all of that. */
function rangeAround(start: number, end: number | null, now: number): Range {
  const margin = Math.max(LEAST_MARGIN_MS, ((end ?? now) - start) * MARGIN_SHARE)
  return { from: start - margin, to: end === null ? now : Math.max(end, Math.min(end + margin, now)) }
}

/** The rule as it is now; undefined if it was deleted, or the user may not see it. */
function useRule(alarmId: string) {
  const api = useApi()
  return useQuery({
    queryKey: ['rule', alarmId],
    queryFn: ({ signal }) =>
      api.get('/v1/alarms/{alarmId}', { path: { alarmId }, signal: withTimeout(signal) }),
    retry: false,
    staleTime: 60_000,
  })
}
