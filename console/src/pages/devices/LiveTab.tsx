import { Button, TextInput } from '@mantine/core'
import type { TelemetryEvent } from '@gangway/client'
import { useEffect, useMemo, useState } from 'react'
import type { OfflineSpan } from '../../charts/Chart.tsx'
import { useFormat } from '../../format.ts'
import { useLiveState } from '../../live/LiveProvider.tsx'
import { seriesKey } from '../../live/series-key.ts'
import { useLatestValues } from '../../live/use-latest-values.ts'
import { links } from '../../links.ts'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Empty, Failed, Loading, Notice } from '../../parts/State.tsx'
import { Value } from '../../parts/Value.tsx'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { formatSignal, parseSignal, type Signal, writeSignalIds } from '../explore/signal.ts'
import { useSignals } from '../explore/use-signals.ts'
import type { Device } from './connection.ts'
import styles from './Devices.module.css'
import { listOfflineSpans } from './offline-spans.ts'
import { SignalChart } from './SignalChart.tsx'
import { useConnections } from './use-connections.ts'

const HOUR_MS = 3_600_000
/** Number of signals that are shown at first, and of those that each further step adds. */
const STEP = 12
const SETTLING_MS = 2000
const fields = { signal: text() }

/** Live value of each signal, with a chart of its last hour. */
export function LiveTab({ device }: { device: Device }) {
  const { live: words } = useWords('devices')
  const format = useFormat()
  const connection = useLiveState()
  const [{ signal: wanted }, change] = useUrlState(fields)
  const [count, setCount] = useState(STEP)
  const { values, isStarted, error, retry } = useLatestValues([device.id])
  const isSettled = useSettled(isStarted)
  if (error !== null) return <Failed error={error} onRetry={retry} />
  if (values.size === 0) return isSettled ? <NoValue device={device} /> : <Loading />
  const all = [...values.values()].toSorted(byKind)
  const found = all.filter(({ timeseriesName, componentId }) =>
    `${componentId ?? ''} ${timeseriesName}`.toLocaleLowerCase().includes(wanted.toLocaleLowerCase()),
  )
  const shown = found.slice(0, count)
  return (
    <div className={styles.scroll}>
      {connection.kind === 'reconnecting' && (
        <Notice kind="warning">{words.stale(format.time(connection.sinceMs))}</Notice>
      )}
      {(all.length > STEP || wanted !== '') && (
        <TextInput
          className={styles.find}
          type="search"
          aria-label={words.findSignal}
          placeholder={words.findSignal}
          value={wanted}
          onChange={(event) => void change({ signal: event.currentTarget.value })}
        />
      )}
      {found.length === 0 ? (
        <p className={styles.note}>{words.noSignal}</p>
      ) : (
        <SignalList device={device} events={shown} />
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

function SignalList({ device, events }: { device: Device; events: TelemetryEvent[] }) {
  const words = useWords('devices')
  const { zone } = useFormat()
  const ids = JSON.stringify(events.map(formatSignal))
  const signals = useMemo(
    () =>
      events
        .filter(({ timeseriesType }) => timeseriesType === 'telemetry')
        .map((event) => parseSignal(formatSignal(event)))
        .filter((signal) => signal !== undefined),
    // The events change with each value, but their signals do not.
    [ids],
  )
  const range = useMemo(() => ({ from: Date.now() - HOUR_MS, to: Date.now() }), [])
  const history = useSignals(
    { signals, range, resolution: { kind: 'raw' }, zone, width: 800 },
    { isLive: true },
  )
  const connections = useConnections(device)
  const offline = useMemo<OfflineSpan[]>(
    () =>
      listOfflineSpans(connections.data ?? [], range).map((span) => ({
        ...span,
        label: words.live.offlineSpan,
      })),
    [connections.data, range, words],
  )
  return (
    <ul className={styles.signals} aria-label={words.live.lastHour}>
      {events.map((event) => {
        const signal = parseSignal(formatSignal(event))
        return (
          <li key={seriesKey(event)} className={styles.signal}>
            <Reading event={event} signal={signal} />
            {event.timeseriesType === 'telemetry' && (
              <SignalChart
                samples={history.data?.find((one) => one.signal.id === signal?.id)}
                name={event.timeseriesName}
                range={range}
                offline={offline}
                history={history}
              />
            )}
          </li>
        )
      })}
    </ul>
  )
}

function Reading({ event, signal }: { event: TelemetryEvent; signal: Signal | undefined }) {
  const { live: words } = useWords('devices')
  const { componentId, timeseriesName, timeseriesType, value, time } = event
  const name = componentId === null ? timeseriesName : `${componentId} · ${timeseriesName}`
  return (
    <div className={styles.reading}>
      <span className={styles.signalName}>
        {signal === undefined ? (
          <bdi>{name}</bdi>
        ) : (
          <PageAnchor
            link={links.explore({ signals: writeSignalIds([signal.id]) })}
            title={`${name}: ${words.history}`}
            className={styles.cut}
          >
            <bdi>{name}</bdi>
          </PageAnchor>
        )}
        {timeseriesType === 'propertyReported' && <span className={styles.kind}>{words.reported}</span>}
      </span>
      <span className={styles.number}>
        <Value value={value} at={time} isLive />
      </span>
    </div>
  )
}

/** Order of signals: telemetry first, then reported properties. */
const byKind = (a: TelemetryEvent, b: TelemetryEvent) =>
  Number(a.timeseriesType !== 'telemetry') - Number(b.timeseriesType !== 'telemetry')

/** Whether the last known values should have arrived: only some time after the start, a lack of values is certain. */
function useSettled(isStarted: boolean): boolean {
  const [isSettled, setSettled] = useState(false)
  useEffect(() => {
    if (!isStarted) return
    const timer = setTimeout(() => setSettled(true), SETTLING_MS)
    return () => clearTimeout(timer)
  }, [isStarted])
  return isSettled
}

/** Explanation for a device without values: it has not sent anything, or its messages are bound elsewhere or unreadable. */
function NoValue({ device }: { device: Device }) {
  const { live: words } = useWords('devices')
  const format = useFormat()
  const { lastMessageAt } = device.connection
  const link = (tab: string) => links.device(device.providerId, device.id, { tab })
  if (lastMessageAt === null)
    return (
      <Empty
        icon="live"
        title={words.waitingTitle}
        text={words.waitingText}
        action={<PageAnchor link={link('connect')}>{words.toConnect}</PageAnchor>}
      />
    )
  return (
    <Empty
      icon="live"
      title={words.boundTitle}
      text={words.boundText(format.relative(lastMessageAt, Date.now()))}
      action={
        <span className={styles.bar}>
          <PageAnchor link={link('bindings')}>{words.seeBindings}</PageAnchor>
          <PageAnchor link={link('messages')}>{words.seeDeadLetters}</PageAnchor>
        </span>
      }
    />
  )
}
