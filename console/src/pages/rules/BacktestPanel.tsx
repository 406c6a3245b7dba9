import { Select } from '@mantine/core'
import { useMemo } from 'react'
import { useFormat } from '../../format.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { Refusal } from '../../parts/Refusal.tsx'
import { Notice } from '../../parts/State.tsx'
import { resolveRange, timeRange } from '../../parts/time/time-range.ts'
import { TimeRangePicker } from '../../parts/time/TimeRangePicker.tsx'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { Activations } from './Activations.tsx'
import { BacktestChart } from './BacktestChart.tsx'
import type { RuleDraft } from './rule.ts'
import styles from './Rules.module.css'
import type { Content } from './signals.ts'
import { ToldTable } from './ToldTable.tsx'
import { chooseTested, MOST_TESTED, useAssetsOf } from './use-assets.ts'
import { backtestRoute, summarize, type Summary, useBacktest, writeBacktest } from './use-backtest.ts'

const fields = { range: timeRange('24h'), asset: text() }

interface Props {
  /** Undefined for a new rule. */
  ruleId: string | undefined
  draft: RuleDraft
  /** The saved rule to compare with; null for a new one. */
  saved: RuleDraft | null
  contents: readonly Content[]
}

/** When the draft would have been active in a time of the past, beside the saved rule. */
export function BacktestPanel({ ruleId, draft, saved, contents }: Props) {
  const { backtest: words } = useWords('rules')
  const [state, change] = useUrlState(fields)
  const range = useMemo(() => {
    const { fromMs, toMs } = resolveRange(state.range, Date.now())
    return { from: fromMs, to: toMs }
  }, [state.range])
  const { assets, hasMore, isPending } = useAssetsOf(draft.modelId)
  const names = new Map(assets.map(({ id, displayName }) => [id, displayName]))
  const ofSaved = useAssetsOf(saved?.modelId ?? '')
  const tested = chooseTested(draft, assets)
  // The saved rule may watch other assets than the draft.
  const testedBefore = saved === null ? [] : chooseTested(saved, ofSaved.assets)
  const body = writeBacktest(draft, tested, range)
  const own = useBacktest(body)
  const before = useBacktest(saved === null ? null : writeBacktest(saved, testedBefore, range))
  const first = own.result?.activations[0]?.entityId ?? tested[0] ?? ''
  const asset = tested.includes(state.asset) ? state.asset : first
  const isCut = draft.assetIds.length > MOST_TESTED || (draft.assetIds.length === 0 && hasMore)
  return (
    <section className={styles.backtest} aria-label={words.title} aria-busy={own.isWaiting}>
      <header className={styles.blockHead}>
        <div>
          <h2 className={styles.subtitle}>{words.title}</h2>
          <p className={styles.quiet} role="status">
            {own.isWaiting ? words.running : words.nobodyIsTold}
          </p>
        </div>
        <div className={styles.tools}>
          <TimeRangePicker value={state.range} onChange={(next) => void change({ range: next })} />
          {body !== null && <CodeExamples requests={[example('post', backtestRoute, { body })]} />}
        </div>
      </header>
      {body === null && !(isPending && draft.modelId !== '') && (
        <p className={styles.quiet}>{whyNot(draft, tested, words)}</p>
      )}
      {isCut && <Notice kind="warning">{words.cut}</Notice>}
      {own.error !== null && <Refusal error={own.error} />}
      {own.result !== undefined && own.error === null && (
        <Totals
          own={summarize(own.result, range.to)}
          before={before.result && summarize(before.result, range.to)}
          counts={[tested.length, testedBefore.length]}
        />
      )}
      {before.error !== null && (
        <>
          <p className={styles.quiet}>{words.savedFailed}</p>
          <Refusal error={before.error} />
        </>
      )}
      {tested.length > 0 && body !== null && (
        <>
          <Select
            className={styles.chartAsset}
            label={words.asset}
            searchable
            data={tested.map((id) => ({ value: id, label: names.get(id) ?? id }))}
            value={asset}
            onChange={(next) => void change({ asset: next ?? '' })}
          />
          <BacktestChart
            key={asset}
            assetId={asset}
            draft={draft}
            contents={contents}
            range={range}
            own={own.error === null ? own.result : undefined}
            before={before.result}
          />
        </>
      )}
      {own.result !== undefined && own.error === null && own.result.activations.length > 0 && (
        <Activations
          activations={own.result.activations}
          endMs={range.to}
          names={names}
          chosen={asset}
          onChoose={(next) => void change({ asset: next })}
        />
      )}
      {own.result !== undefined && own.error === null && own.result.activations.length > 0 && (
        <ToldTable ruleId={ruleId} activations={own.result.activations} />
      )}
    </section>
  )
}

function whyNot(
  draft: RuleDraft,
  tested: string[],
  words: { noModel: string; noAssets: string; noCondition: string; incomplete: string },
): string {
  if (draft.modelId === '') return words.noModel
  if (tested.length === 0) return words.noAssets
  if (draft.condition.trim() === '' && draft.noDataSeconds === 0) return words.noCondition
  return words.incomplete
}

/** The numbers of the draft, and beside them those of the saved rule. */
function Totals(props: {
  own: Summary
  before: Summary | undefined
  /** The numbers of tested assets, of the draft and of the saved rule. */
  counts: [own: number, before: number]
}) {
  const { own, before, counts } = props
  const { backtest: words } = useWords('rules')
  const format = useFormat()
  const number = (value: number) => format.number(value)
  const rows: [string, (summary: Summary, tested: number) => string][] = [
    [words.activations, (one) => number(one.count)],
    [words.onAssets, (one, tested) => words.ofAssets(number(one.assets), number(tested))],
    [words.longest, (one) => (one.count === 0 ? '–' : format.duration(one.longestMs))],
    [words.total, (one) => (one.count === 0 ? '–' : format.duration(one.totalMs))],
    [words.messages, (one) => number(one.notifications)],
    [words.messagesUnacknowledged, (one) => number(one.notificationsUnacknowledged)],
  ]
  return (
    <>
      <table className={styles.totals}>
        <thead>
          <tr>
            <td />
            <th scope="col">{words.draft}</th>
            {before !== undefined && <th scope="col">{words.saved}</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map(([title, show]) => (
            <tr key={title}>
              <th scope="row">{title}</th>
              <td>{show(own, counts[0])}</td>
              {before !== undefined && <td>{show(before, counts[1])}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {own.notJudged > 0 && <Notice kind="warning">{words.notJudged(number(own.notJudged))}</Notice>}
    </>
  )
}
