import type { TelemetryEvent } from '@gangway/client'
import { useEffect, useMemo, useRef, useState } from 'react'
import { addSample, dropUnshown, findState, type Samples } from '../../../charts/samples/samples.ts'
import { useLiveStore } from '../../../live/LiveProvider.tsx'
import { createThrottle } from '../../../charts/throttle.ts'
import { writeState } from '../../explore/read-samples.ts'
import { formatSignal, type Signal } from '../../explore/signal.ts'
import { readGroupKey, spanMs, takesLiveValues } from './history.ts'
import { createLatestStore, type LatestStore } from './latest-store.ts'
import { findMissing } from './missing.ts'
import type { History } from './use-history.ts'

/** The limits of a subscription. [docs/push#subscriptions] */
const MOST_ASSETS = 1000
const MOST_NAMES = 1000
/** Least time between two readings after gaps in the live values. */
const GAP_MS = 15_000

/** Follows the signals of a board by one subscription, and adds their values to the histories up to now. */
export function useLiveValues(signals: Signal[], histories: ReadonlyMap<string, History>) {
  const live = useLiveStore()
  const [store] = useState<LatestStore>(createLatestStore)
  const [error, setError] = useState<Error | null>(null)
  const [attempts, setAttempts] = useState(0)
  const groups = useMemo(() => listLiveGroups(histories), [histories])
  const latest = useRef({ histories, groups })
  latest.current = { histories, groups }
  const [refused, setRefused] = useState<readonly string[]>([])
  const assets = useMemo(() => [...new Set(signals.map(({ ownerId }) => ownerId))], [signals])
  const key = JSON.stringify({
    assets: assets.filter((id) => !refused.includes(id)).toSorted(),
    names: [...new Set(signals.map(({ name }) => name))].toSorted(),
  })
  useEffect(() => {
    const { assets: all, names } = JSON.parse(key) as { assets: string[]; names: string[] }
    if (all.length === 0) return undefined
    const timeseriesName = names.length > MOST_NAMES ? null : names
    const onEvent = (event: TelemetryEvent) => {
      const id = formatSignal(event)
      const atMs = Date.parse(event.time)
      live.recordValue(atMs)
      store.set(id, event)
      for (const { samples, lengthMs } of latest.current.groups) {
        const found = samples.get(id)
        if (found !== undefined) addValue(found.samples, { atMs, value: event.value, lengthMs })
      }
    }
    // A connection that breaks often would otherwise use up the requests of the account.
    const reading = createThrottle(
      () => {
        for (const { reload } of latest.current.histories.values()) reload()
      },
      () => GAP_MS,
    )
    const subscriptions = split(all).map((part) => {
      // One refused asset ends the subscription of all: the others are followed without it.
      const onEnd = (end: Error) => {
        const missing = findMissing(end, part)
        if (missing === undefined) setError(end)
        else setRefused((before) => [...before, missing])
      }
      return live.connect().subscribe({ topic: 'telemetry', assets: part, timeseriesName }, onEvent, {
        onGap: reading.call,
        onEnd,
      })
    })
    return () => {
      reading.cancel()
      for (const subscription of subscriptions) subscription.stop()
      setError(null)
    }
  }, [live, store, key, attempts])
  useEffect(() => store.stop, [store])
  const retry = () => {
    setRefused([])
    setAttempts((count) => count + 1)
  }
  const missing = useMemo(() => assets.filter((id) => refused.includes(id)), [assets, refused])
  return { store, error, missing, retry }
}

function split(assets: string[]): string[][] {
  const parts: string[][] = []
  for (let at = 0; at < assets.length; at += MOST_ASSETS) parts.push(assets.slice(at, at + MOST_ASSETS))
  return parts
}

/** Samples up to now. */
interface LiveGroup {
  samples: History['samples']
  lengthMs: number
}

const listLiveGroups = (histories: ReadonlyMap<string, History>): LiveGroup[] =>
  [...histories].flatMap(([key, { samples }]) => {
    const asked = readGroupKey(key)
    const isLive = takesLiveValues(asked) && asked.timeRange.kind === 'last'
    return isLive ? [{ samples, lengthMs: spanMs(asked.timeRange) }] : []
  })

interface LiveValue {
  atMs: number
  value: unknown
  /** Length of the time that is shown. */
  lengthMs: number
}

/** Values follow the last bucket one by one until the buckets are read again. */
function addValue(samples: Samples, { atMs, value, lengthMs }: LiveValue) {
  if (value === null || atMs < Date.now() - lengthMs) return
  const isNumber = typeof value === 'number'
  if (samples.length > 0 && isNumber !== (samples.states === null)) return
  if (isNumber && samples.states !== null) return
  addSample(samples, atMs, isNumber ? value : findState(samples, writeState(value)))
  dropUnshown(samples, lengthMs)
}
