import { useMemo } from 'react'
import { Chart, type ChartSeries } from '../../charts/Chart.tsx'
import { wrapSamples } from '../../charts/samples/samples.ts'
import type { Range } from '../../charts/time/range.ts'
import { useFormat } from '../../format.ts'
import { Failed } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import { chooseResolution } from '../explore/resolution.ts'
import { labelSignal, type Signal } from '../explore/signal.ts'
import { useSignals } from '../explore/use-signals.ts'
import { writeUnit } from '../explore/use-units.ts'
import { listRows, noRows, readRows } from './conditions.ts'
import type { RuleDraft } from './rule.ts'
import styles from './Rules.module.css'
import { type Content, findContent, listSignals } from './signals.ts'
import { cutSpans, makeBand, type Span } from './spans.ts'
import type { Backtest } from './use-backtest.ts'

const WIDTH = 700

interface Props {
  assetId: string
  draft: RuleDraft
  contents: readonly Content[]
  range: Range
  own: Backtest | undefined
  before: Backtest | undefined
}

/** The signals of the rule on one asset, its limits, and when the draft and the saved rule would have been active. */
export function BacktestChart({ assetId, draft, contents, range, own, before }: Props) {
  const { backtest: words } = useWords('rules')
  const { zone } = useFormat()
  const { condition, clearCondition } = draft
  const signals = useMemo(
    () => listSignals([condition, clearCondition], contents, assetId),
    [condition, clearCondition, contents, assetId],
  )
  const resolution = chooseResolution({
    aggregation: 'auto',
    interval: 'auto',
    spanMs: range.to - range.from,
    width: WIDTH,
  })
  const query = useSignals({ signals, range, resolution, zone, width: WIDTH }, { isLive: false })
  const series = useMemo<ChartSeries[]>(() => {
    const units = new Map(signals.map((signal) => [signal.id, unitOf(signal, contents)]))
    const read = (query.data ?? []).map(({ signal, samples, bucketMs }, index) => ({
      id: signal.id,
      label: labelSignal(signal, signals),
      unit: units.get(signal.id),
      quantity: signal.name,
      samples,
      bucketMs,
      color: index,
    }))
    const shown = [
      ...listLimits(condition).map((limit) => ({
        ...limit,
        title: words.limit(String(limit.value)),
        color: 3,
      })),
      ...listLimits(clearCondition).map((limit) => ({
        ...limit,
        title: words.clearLimit(String(limit.value)),
        color: 4,
      })),
    ]
    const limits = shown.flatMap(({ variable, value, title, color }) => {
      const content = findContent(variable, contents)
      const line = read.find(({ quantity, id }) => quantity === content?.name && id.startsWith(`${assetId}/`))
      if (line === undefined || line.samples.states !== null) return []
      const samples = wrapSamples({
        times: Float64Array.of(range.from, range.to),
        values: Float64Array.of(value, value),
      })
      const { unit, quantity } = line
      return [{ id: `limit ${title} ${variable}`, label: title, unit, quantity, samples, color }]
    })
    const looks = {
      [words.inactive]: 'off',
      [words.active]: 'bad',
      [words.onlySaved]: 'hatched',
    } as const
    const band = (id: string, label: string, spans: Span[]) => ({
      id,
      label,
      samples: makeBand(spans, words.inactive, range),
      looks,
      ink: 'var(--bad)',
      isGapless: true,
    })
    const ofDraft = own && listSpans(own, assetId, range)
    const ofSaved = before && listSpans(before, assetId, range)
    const states = { shared: words.active, alone: ofDraft === undefined ? words.active : words.onlySaved }
    return [
      ...read,
      ...limits,
      ...(ofDraft ? [band('draft', words.draft, withState(ofDraft, words.active))] : []),
      ...(ofSaved ? [band('saved', words.saved, cutSpans(ofSaved, ofDraft ?? [], states))] : []),
    ]
  }, [query.data, signals, contents, condition, clearCondition, own, before, assetId, range, words])
  if (query.error !== null && query.data === undefined)
    return <Failed error={query.error} onRetry={query.reload} />
  const isEmpty = query.data?.every(({ samples }) => samples.length === 0) ?? false
  return (
    <>
      {isEmpty && <p className={styles.quiet}>{words.noValues}</p>}
      {series.length > 0 && <Chart label={words.chart} series={series} range={range} height={260} />}
      {own !== undefined && before !== undefined && <p className={styles.quiet}>{words.hatched}</p>}
    </>
  )
}

const unitOf = (signal: Signal, contents: readonly Content[]) => {
  const unit = contents.find(
    (content) => content.name === signal.name && content.componentId === signal.componentId,
  )?.unit
  return unit ? writeUnit(unit) : undefined
}

/** The numbers with which rows compare signals. */
const listLimits = (condition: string) =>
  listRows(readRows(condition) ?? noRows).flatMap(({ variable, right }) =>
    right.kind === 'value' && typeof right.value === 'number' ? [{ variable, value: right.value }] : [],
  )

const withState = (spans: Range[], state: string): Span[] => spans.map((span) => ({ ...span, state }))

const listSpans = ({ activations }: Backtest, assetId: string, range: Range): Range[] =>
  activations
    .filter(({ entityId }) => entityId === assetId)
    .map(({ activatedAt, inactiveAt }) => ({
      from: Date.parse(activatedAt),
      to: inactiveAt === null ? range.to : Date.parse(inactiveAt),
    }))
