import type { Realtime, TelemetryEvent } from '@gangway/client'
import { expect, test, vi } from 'vitest'
import type { LiveStore } from './LiveProvider.tsx'
import { chooseArrival, watchValues } from './watch-values.ts'

const nowMs = Date.parse('2026-11-22T08:00:00.000Z')
const at = (time: string) => ({ time: `2026-11-22T${time}.000Z` })

test('a live value comes when it arrives, whether the clock of its device is ahead or behind', () => {
  expect(chooseArrival(at('09:00:00'), false, nowMs)).toBe(nowMs)
  expect(chooseArrival(at('07:00:00'), false, nowMs)).toBe(nowMs)
})

test('a last known value keeps its time, but never comes from the future', () => {
  expect(chooseArrival(at('07:00:00'), true, nowMs)).toBe(Date.parse('2026-11-22T07:00:00.000Z'))
  expect(chooseArrival(at('09:00:00'), true, nowMs)).toBe(nowMs)
})

test('the first value of a series is the last known one, and again after a break', () => {
  let push: (event: TelemetryEvent) => void = () => {}
  let breaks = 0
  const live = {
    connect: () =>
      ({ subscribe: (_request: object, onEvent: typeof push) => (push = onEvent) }) as unknown as Realtime,
    countBreaks: () => breaks,
    recordValue: vi.fn<(atMs: number) => void>(),
  } as unknown as LiveStore
  const firsts: boolean[] = []
  watchValues(live, { assets: ['pump'] }, (_event, isFirst) => firsts.push(isFirst))
  const event = (timeseriesName: string) =>
    ({ assetId: 'pump', timeseriesName, ...at('07:00:00') }) as TelemetryEvent
  for (const name of ['flow', 'level', 'flow', 'level']) push(event(name))
  breaks++
  for (const name of ['flow', 'flow']) push(event(name))
  expect(firsts).toEqual([true, true, false, false, true, false])
  expect(live.recordValue).toHaveBeenCalledTimes(6)
})
