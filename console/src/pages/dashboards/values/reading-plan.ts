/** Readings that the boards of a page repeat. Embedded boards are counted too, since all share the limit of the account. */
import type { QueryClient } from '@tanstack/react-query'
import { createContext } from 'react'
import { spreadRequests } from '../../../api/request-limit.ts'
import { createThrottle } from '../../../charts/throttle.ts'

export interface ReadingPlan {
  /** Counts requests that are repeated, until the returned function is called. */
  add: (requests: number) => () => void
  /** Requests of one repetition of all boards. */
  count: () => number
  subscribe: (onChange: () => void) => () => void
  /** Number of different alarm lists. */
  countAlarmLists: () => number
  /** Reads all alarm lists again. Events of the next seconds are collected, since each reading has up to 1,000 alarms. */
  readAlarms: () => void
  stop: () => void
}

const COLLECT_MS = 10_000
const SHORTEST_MS = 60_000

export function createReadingPlan(cache: QueryClient): ReadingPlan {
  const listeners = new Set<() => void>()
  let total = 0
  const change = (by: number) => {
    total += by
    for (const listener of listeners) listener()
  }
  const countAlarmLists = () =>
    Math.max(1, cache.getQueryCache().findAll({ queryKey: ['board-alarms'], type: 'active' }).length)
  const alarms = createThrottle(
    () => void cache.invalidateQueries({ queryKey: ['board-alarms'] }),
    () => COLLECT_MS * countAlarmLists(),
  )
  return {
    add: (requests) => {
      change(requests)
      return () => change(-requests)
    },
    count: () => total,
    subscribe: (onChange) => {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
    countAlarmLists,
    readAlarms: alarms.call,
    stop: alarms.cancel,
  }
}

/**
 * Time between two readings of aggregates, for which all boards of the page stay within their share of the limit.
 * @param requests of one repetition
 * @param limit requests an hour
 */
export const chooseReloadMs = (requests: number, limit: number): number =>
  Math.max(SHORTEST_MS, spreadRequests(requests, limit))

/** Whether the limit, and not the shortest time, decides the time between two readings. */
export const isSlowed = (reloadMs: number): boolean => reloadMs > SHORTEST_MS

export const ReadingPlanContext = createContext<ReadingPlan | null>(null)
