import type { TelemetryEvent } from '@gangway/client'
import { useEffect, useMemo, useRef, useState } from 'react'
import { createThrottle } from '../../../charts/throttle.ts'
import type { Awaited } from '../../../live/awaited.ts'
import { useLiveStore } from '../../../live/LiveProvider.tsx'
import { watchValues } from '../../../live/watch-values.ts'
import type { LiveValue } from '../../explore/live-samples.ts'
import { formatSignal, type Signal } from '../../explore/signal.ts'
import { createLatestStore, type LatestStore } from './latest-store.ts'
import { addValues, readLiveMs } from './live-group.ts'
import { findMissing } from './missing.ts'
import type { History } from './use-history.ts'

/** The limits of a subscription. [docs/push#subscriptions] */
const MOST_ASSETS = 1000
const MOST_NAMES = 1000
/** Least time between two readings after gaps in the live values. */
const GAP_MS = 15_000

/**
 * Follows the signals of a board by one subscription, and adds their values to the histories up to now.
 *
 * @param awaited receives the values for histories that are being read
 */
export function useLiveValues(
  signals: Signal[],
  histories: ReadonlyMap<string, History>,
  awaited: Awaited<LiveValue>,
) {
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
    const onValue = (event: TelemetryEvent, isFirst: boolean) => {
      store.set(formatSignal(event), event)
      awaited.record({ event, isFirst })
      for (const { history, lengthMs } of latest.current.groups)
        if (addValues(history.readSamples(), [{ event, isFirst }], lengthMs)) history.reloadOnce()
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
      return watchValues(live, { assets: part, timeseriesName }, onValue, { onGap: reading.call, onEnd })
    })
    return () => {
      reading.cancel()
      for (const subscription of subscriptions) subscription.stop()
      setError(null)
    }
  }, [live, store, awaited, key, attempts])
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

/** A history up to now. */
interface LiveGroup {
  history: History
  lengthMs: number
}

const listLiveGroups = (histories: ReadonlyMap<string, History>): LiveGroup[] =>
  [...histories].flatMap(([key, history]) => {
    const lengthMs = readLiveMs(key)
    return lengthMs === undefined ? [] : [{ history, lengthMs }]
  })
