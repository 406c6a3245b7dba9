import { expect, test } from 'vitest'
import type { StoredSample } from '../../timeseries/stored-sample.ts'
import { evaluate } from './evaluate.ts'
import { assetWatch, modelWatch } from './model-watch.ts'

const signals = [{ variable: 'list', componentId: '', name: 'list' }]
const condition = JSON.stringify({ some: [{ var: 'list' }, { '>': [{ var: '' }, 9998] }] })

const rule = (index: number) => ({
  id: `alarm-${index}`,
  revision: 1,
  entity_ids: [],
  signals,
  condition,
  clear_condition: null,
  for_seconds: 0,
  no_data_seconds: 0,
  max_lateness_seconds: 0,
})

const sample = (timeMs: number): StoredSample => ({
  tenantId: 'default',
  tenantNumber: 1,
  ownerType: 'asset',
  ownerId: 'a',
  componentId: '',
  name: 'list',
  type: 'telemetry',
  timeMs,
  value: Array.from({ length: 10_000 }, (_, index) => index),
})

test('the conditions of one message share a budget, and the next message has one of its own', () => {
  const model = modelWatch(Array.from({ length: 20 }, (_, index) => rule(index)))
  const asset = assetWatch('a', 1, model)
  const { crossings } = evaluate(() => asset, [sample(1000)], { batch: 1, nowMs: 5000 })
  expect(crossings.length).toBeGreaterThan(0)
  expect(crossings.length).toBeLessThan(5)
  const next = evaluate(() => asset, [sample(2000)], { batch: 2, nowMs: 5000 })
  expect(next.crossings).toEqual(crossings.map((crossing) => ({ ...crossing, timeMs: 2000, orderMs: 2000 })))
})
