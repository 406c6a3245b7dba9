import type { Gangway } from '@gangway/client'
import { expect, test } from 'vitest'
import { querySignals, type SignalQuery, type TimeseriesBody } from './query-signals.ts'
import { fitToRollups } from './resolution.ts'
import { parseSignal } from './signal.ts'

const id = 'pump-7/-/telemetry/temperature'
const range = { from: 0, to: 3_600_000 }

/** @returns the intervals of the requests, and of the samples that they give */
async function ask(resolution: SignalQuery['resolution'], samplesFrom?: string) {
  const asked: (string | undefined)[] = []
  const request = (_method: string, _path: string, { body }: { body: TimeseriesBody }) => {
    asked.push(body.aggregationInterval)
    const types = body.aggregationTypes ?? ['raw']
    const items = types.map(() => ({ signalId: id, items: [], queryResultLimitReached: null }))
    return Promise.resolve(new Response(JSON.stringify({ items, samplesFrom })))
  }
  const query = { signals: [parseSignal(id)!], range, zone: 'UTC', width: 1000, resolution }
  const [found] = await querySignals({ request } as unknown as Gangway, query, new AbortController().signal)
  return { asked, bucketMs: found!.bucketMs }
}

test('where only rollups are left, half hours are shown in the place of what they do not have', async () => {
  const samplesFrom = '2026-01-01T00:00:00.000Z'
  const [halfHour, minute] = [1_800_000, 60_000]
  expect(await ask({ kind: 'raw' }, samplesFrom)).toEqual({ asked: [undefined, 'PT30M'], bucketMs: halfHour })
  const minutes = { kind: 'envelope', interval: 'PT1M' } as const
  expect(await ask(minutes, samplesFrom)).toEqual({ asked: ['PT1M', 'PT30M'], bucketMs: halfHour })
  expect(await ask(minutes)).toEqual({ asked: ['PT1M'], bucketMs: minute })
  const days = { kind: 'single', type: 'max', interval: 'P1D' } as const
  expect((await ask(days, samplesFrom)).asked).toEqual(['P1D'])
  expect(fitToRollups({ ...days, interval: 'PT5M' })).toEqual({ ...days, interval: 'PT30M' })
})
