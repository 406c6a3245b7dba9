import { Button, TextInput } from '@mantine/core'
import type { TelemetryEvent } from '@gangway/client'
import { useMemo, useState } from 'react'
import { useFormat } from '../../format.ts'
import { useLiveState } from '../../live/LiveProvider.tsx'
import { useLatestValues } from '../../live/use-latest-values.ts'
import { links } from '../../links.ts'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { localText } from '../../parts/schema/schema.ts'
import { Empty, Failed, Loading, Notice } from '../../parts/State.tsx'
import { Value } from '../../parts/Value.tsx'
import { text, useUrlState } from '../../url-state.ts'
import { useLanguage, useWords } from '../../words/words.tsx'
import { SignalChart } from '../devices/SignalChart.tsx'
import { formatSignal, parseSignal, writeSignalIds } from '../explore/signal.ts'
import { useSignals } from '../explore/use-signals.ts'
import { writeUnit } from '../explore/use-units.ts'
import styles from './Assets.module.css'
import { type Asset, type Content, endpointId, useBindings, useContents } from './contents.ts'

const HOUR_MS = 3_600_000
/** Number of signals that are shown at first, and of those that each further step adds. */
const STEP = 12
const fields = { signal: text() }

/** A signal of the model, or a signal that has values but is not in the model. */
interface Signal {
  /** Endpoint id. */
  id: string
  label: string
  unit: string | undefined
  event: TelemetryEvent | undefined
  isBound: boolean
}

/** Live value of each signal, with a chart of its last hour. */
export function SignalsTab({ asset }: { asset: Asset }) {
  const { signals: words } = useWords('assets')
  const format = useFormat()
  const connection = useLiveState()
  const [{ signal: wanted }, change] = useUrlState(fields)
  const [count, setCount] = useState(STEP)
  const contents = useContents(asset.modelId)
  const bindings = useBindings(asset.id)
  const { values, isStarted, error } = useLatestValues([asset.id])
  const unbound = bindings.data?.unboundEndpointIds
  const all = useSignalList(asset, contents.contents, values, unbound)
  if (error !== null) return <Failed error={error} />
  const isConnecting = !isStarted && connection.kind !== 'reconnecting'
  if (contents.isPending || isConnecting) return <Loading />
  if (all.length === 0) return <Empty icon="live" title={words.emptyTitle} text={words.emptyText} />
  const found = all.filter(({ label }) => label.toLocaleLowerCase().includes(wanted.toLocaleLowerCase()))
  const shown = found.slice(0, count)
  return (
    <div className={styles.scroll}>
      {connection.kind === 'reconnecting' && (
        <Notice kind="warning">{words.stale(format.time(connection.sinceMs))}</Notice>
      )}
      {contents.error !== null && <Notice kind="warning">{words.noModel}</Notice>}
      {all.every(({ isBound, event }) => !isBound && event === undefined) && <NothingBound asset={asset} />}
      {(all.length > STEP || wanted !== '') && (
        <TextInput
          className={styles.find}
          type="search"
          aria-label={words.find}
          placeholder={words.find}
          value={wanted}
          onChange={(event) => void change({ signal: event.currentTarget.value })}
        />
      )}
      {found.length === 0 ? (
        <p className={styles.note}>{words.noneFound}</p>
      ) : (
        <SignalList asset={asset} signals={shown} />
      )}
      {found.length > shown.length && (
        <div>
          <Button onClick={() => setCount(count + STEP)}>
            {words.more(format.number(Math.min(STEP, found.length - shown.length)))}
          </Button>
        </div>
      )}
    </div>
  )
}

/** Signals in the order of the model, followed by other signals that have values. */
function useSignalList(
  asset: Asset,
  contents: Content[],
  values: ReadonlyMap<string, TelemetryEvent>,
  unbound: string[] | undefined,
): Signal[] {
  const language = useLanguage()
  return useMemo(() => {
    const events = new Map(
      [...values.values()]
        .filter(({ timeseriesType }) => timeseriesType === 'telemetry')
        .map((event) => [formatSignal(event), event]),
    )
    const named = contents
      .filter(({ kind }) => kind === 'telemetry')
      .map((content) => {
        const id = endpointId(asset.id, content)
        const name = localText(content.displayName, language) ?? content.name
        return {
          id,
          label: content.componentId === null ? name : `${content.componentId} · ${name}`,
          unit: content.unit ? writeUnit(content.unit) : undefined,
          event: events.get(id),
          isBound: unbound?.includes(id) !== true,
        }
      })
    const known = new Set(named.map(({ id }) => id))
    const others = [...events]
      .filter(([id]) => !known.has(id))
      .map(([id, event]) => ({
        id,
        label: parseSignal(id)?.name ?? id,
        unit: undefined,
        event,
        isBound: true,
      }))
    return [...named, ...others]
  }, [asset.id, contents, values, unbound, language])
}

function SignalList({ asset, signals }: { asset: Asset; signals: Signal[] }) {
  const { signals: words } = useWords('assets')
  const { zone } = useFormat()
  const ids = JSON.stringify(signals.map(({ id }) => id))
  const charted = useMemo(
    () => (JSON.parse(ids) as string[]).map(parseSignal).filter((signal) => signal !== undefined),
    [ids],
  )
  const range = useMemo(() => ({ from: Date.now() - HOUR_MS, to: Date.now() }), [])
  const history = useSignals(
    { signals: charted, range, resolution: { kind: 'raw' }, zone, width: 800 },
    { isLive: true },
  )
  return (
    <ul className={styles.signals} aria-label={words.lastHour}>
      {signals.map((signal) => (
        <li key={signal.id} className={styles.signal}>
          <Reading asset={asset} signal={signal} />
          <SignalChart
            samples={history.data?.find((one) => one.signal.id === signal.id)}
            name={signal.label}
            unit={signal.unit}
            range={range}
            offline={[]}
            history={history}
          />
        </li>
      ))}
    </ul>
  )
}

function Reading({ asset, signal }: { asset: Asset; signal: Signal }) {
  const { signals: words } = useWords('assets')
  return (
    <div className={styles.reading}>
      <span className={styles.signalName}>
        <PageAnchor
          link={links.explore({ signals: writeSignalIds([signal.id]) })}
          title={`${signal.label}: ${words.history}`}
          className={styles.cut}
        >
          <bdi>{signal.label}</bdi>
        </PageAnchor>
      </span>
      {signal.event === undefined && !signal.isBound ? (
        <PageAnchor link={links.asset(asset.id, { tab: 'bindings' })} className={styles.note}>
          {words.notBound}
        </PageAnchor>
      ) : (
        <span className={styles.number}>
          <Value
            value={signal.event?.value}
            at={signal.event?.time ?? null}
            isLive
            {...(signal.unit !== undefined && { unit: signal.unit })}
          />
        </span>
      )}
    </div>
  )
}

/** Notice for an asset without a device, with a link to its bindings. */
function NothingBound({ asset }: { asset: Asset }) {
  const { signals: words } = useWords('assets')
  return (
    <Notice kind="info">
      {words.nothingBound}{' '}
      <PageAnchor link={links.asset(asset.id, { tab: 'bindings' })} className={styles.inText}>
        {words.toBindings}
      </PageAnchor>
    </Notice>
  )
}
