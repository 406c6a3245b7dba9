import type { Answer, Body } from '@gangway/client'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import type { Range } from '../../charts/time/range.ts'
import { withTimeout } from '../devices/timeout.ts'
import { isIncomplete, readRows } from './conditions.ts'
import { type RuleDraft, writeBody } from './rule.ts'
import { parseLogic } from './signals.ts'

export const backtestRoute = '/v1/alarms/backtest'
export type BacktestBody = Body<'post', typeof backtestRoute>
export type Backtest = Answer<'post', typeof backtestRoute>
export type Activation = Backtest['activations'][number]

/** Each backtest counts for the rate limit and reads all samples of its time: it waits for a pause in typing. */
const PAUSE_MS = 600
const TIMEOUT_MS = 60_000

/** @returns null while the draft cannot be tested: no model, no asset, or a condition that is not whole */
export function writeBacktest(draft: RuleDraft, assetIds: string[], range: Range): BacktestBody | null {
  const { entityTypeId, condition, clearCondition, forSeconds, noDataSeconds } = writeBody(draft)
  const isWhole = [condition, clearCondition].every(isTestable)
  if (entityTypeId === null || assetIds.length === 0 || !isWhole) return null
  if (condition === null && noDataSeconds === 0) return null
  return {
    alarm: { entityTypeId, condition, clearCondition, forSeconds, noDataSeconds },
    assetIds,
    from: new Date(range.from).toISOString(),
    to: new Date(range.to).toISOString(),
  }
}

function isTestable(condition: string | null): boolean {
  if (condition === null) return true
  const rows = readRows(condition)
  return rows === undefined ? parseLogic(condition) !== undefined : !isIncomplete(rows)
}

/** Runs a rule over stored values, after a pause in typing. */
export function useBacktest(body: BacktestBody | null) {
  const api = useApi()
  const [asked] = useDebouncedValue(JSON.stringify(body), PAUSE_MS)
  const query = useQuery({
    queryKey: ['backtest', asked],
    enabled: asked !== 'null',
    queryFn: ({ signal }) =>
      api.post(backtestRoute, {
        body: JSON.parse(asked) as BacktestBody,
        signal: withTimeout(signal, TIMEOUT_MS),
        timeoutMs: TIMEOUT_MS,
      }),
    placeholderData: keepPreviousData,
    staleTime: 300_000,
    retry: false,
  })
  return {
    result: body === null ? undefined : query.data,
    error: body === null ? null : query.error,
    isWaiting: body !== null && (asked !== JSON.stringify(body) || query.isFetching),
  }
}

export interface Summary {
  count: number
  longestMs: number
  totalMs: number
  assets: number
  notifications: number
  notificationsUnacknowledged: number
  notJudged: number
}

/** Sums up a backtest; what is still active at the end lasts until there. */
export function summarize(result: Backtest, endMs: number): Summary {
  const lengths = result.activations.map((one) => lastingMs(one, endMs))
  return {
    count: lengths.length,
    longestMs: Math.max(0, ...lengths),
    totalMs: lengths.reduce((sum, length) => sum + length, 0),
    assets: new Set(result.activations.map(({ entityId }) => entityId)).size,
    notifications: result.notifications,
    notificationsUnacknowledged: result.notificationsUnacknowledged,
    notJudged: result.samplesNotJudged,
  }
}

export const lastingMs = ({ activatedAt, inactiveAt }: Activation, endMs: number) =>
  Math.max(0, (inactiveAt === null ? endMs : Date.parse(inactiveAt)) - Date.parse(activatedAt))
