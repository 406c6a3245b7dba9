import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { StoredSample } from '../../timeseries/storage/stored-sample.ts'
import { evaluate, reevaluateAsset } from './evaluate.ts'
import { copyKnown, createAssetWatch, createModelWatch, setOpen } from './model-watch.ts'
import { createUnevaluatedWarning } from './warn-unevaluated.ts'

const signals = [{ variable: 'list', componentId: '', name: 'list' }]
const condition = JSON.stringify({ some: [{ var: 'list' }, { '>': [{ var: '' }, 2998] }] })

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

/** A search in it takes more steps than one moment has. */
const long = Array.from({ length: 30_000 }, () => 0)

const sample = (timeMs: number): StoredSample => ({
  tenantId: 'default',
  tenantNumber: 1,
  ownerType: 'asset',
  ownerId: 'a',
  componentId: '',
  name: 'list',
  type: 'telemetry',
  timeMs,
  value: Array.from({ length: 3000 }, (_, index) => index),
})

test('an active alarm whose condition takes more work than is left stays active, and is reported', async () => {
  const model = createModelWatch(Array.from({ length: 20 }, (_, index) => rule(index)))
  const asset = createAssetWatch('a', 1, model)
  for (const { alarmId } of model.rules)
    setOpen(asset.known, alarmId, { state: 'active_unacknowledged', heldSinceMs: undefined })
  const { crossings, unevaluated } = await evaluate(() => asset, [sample(1000)], {
    batch: 1,
    nowMs: 5000,
  })
  expect(crossings).toEqual([])
  expect(unevaluated.length).toBeGreaterThan(10)
  expect(unevaluated.at(-1)).toEqual({ tenantId: 'default', alarmId: 'alarm-19', assetId: 'a' })
  expect(reevaluateAsset('default', asset, 5000)).toEqual([])
  const low = await evaluate(() => asset, [{ ...sample(2000), value: [1] }], { batch: 2, nowMs: 5000 })
  expect(low.crossings.map(({ crossing }) => crossing)).toEqual(Array.from({ length: 20 }, () => 'returns'))
})

test('a negated condition that takes more work than is left does not activate', async () => {
  const negated = { ...rule(1), condition: JSON.stringify({ '!': [JSON.parse(condition)] }) }
  const asset = createAssetWatch('a', 1, createModelWatch([negated]))
  const { crossings, unevaluated } = await evaluate(() => asset, [{ ...sample(1000), value: long }], {
    batch: 1,
    nowMs: 5000,
  })
  expect([crossings.length, unevaluated.length]).toEqual([0, 1])
})

test('alarms that could not be evaluated are logged once a minute, with their number', () => {
  const lines: string[] = []
  let nowMs = 0
  const warn = createUnevaluatedWarning(pino({}, { write: (line) => void lines.push(line) }), () => nowMs)
  const unevaluated = { tenantId: 'default', alarmId: 'alarm', assetId: 'a' }
  warn([])
  for (nowMs = 1000; nowMs <= 61_000; nowMs += 1000) warn([unevaluated])
  expect(lines.map((line) => JSON.parse(line).count)).toEqual([1, 60])
  expect(JSON.parse(lines[0]!)).toMatchObject(unevaluated)
})

test('the conditions of one message share a budget, and each message has its own', async () => {
  const model = createModelWatch(Array.from({ length: 20 }, (_, index) => rule(index)))
  const asset = createAssetWatch('a', 1, model)
  const { crossings } = await evaluate(() => asset, [sample(1000)], { batch: 1, nowMs: 5000 })
  expect(crossings.length).toBeGreaterThan(0)
  expect(crossings.length).toBeLessThan(5)
  const next = await evaluate(() => asset, [sample(2000)], { batch: 2, nowMs: 5000 })
  expect(next.crossings).toEqual(crossings.map((crossing) => ({ ...crossing, timeMs: 2000, orderMs: 2000 })))
})

test('the conditions of a tenant share a budget for one batch, and other tenants and other work do not wait for it', async () => {
  const model = createModelWatch([rule(1)])
  const assets = new Map(['heavy', 'light'].map((id) => [id, createAssetWatch(id, 1, model)]))
  const samples = Array.from({ length: 1000 }, (_, index) => ({
    ...sample(index),
    ownerId: 'heavy',
    value: long,
  }))
  const other = { ...sample(2000), tenantId: 'other', ownerId: 'light' }
  // On a clock that every reading moves on, a fast machine takes turns as well.
  let nowMs = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs++)
  onTestFinished(() => clock.mockRestore())
  let turns = 0
  let counting = setImmediate(function count() {
    turns++
    counting = setImmediate(count)
  })
  const { crossings, unevaluated } = await evaluate(
    (_, assetId) => assets.get(assetId),
    [...samples, other],
    { batch: 1, nowMs: 5000 },
  )
  clearImmediate(counting)
  expect(crossings.map(({ tenantId }) => tenantId)).toEqual(['other'])
  expect(unevaluated).toContainEqual({ tenantId: 'default', alarmId: 'alarm-1', assetId: 'heavy' })
  expect(unevaluated.length).toBeLessThan(samples.length)
  expect(turns).toBeGreaterThan(10)
})

test('the open alarms of a state are copied once, before the first change, however many alarms change', () => {
  const active = { state: 'active_unacknowledged', heldSinceMs: undefined } as const
  const { known } = createAssetWatch('a', 1, createModelWatch([rule(1)]))
  setOpen(known, 'one', active)
  const copy = copyKnown(known)
  setOpen(copy, 'two', active)
  const { open } = copy
  setOpen(copy, 'three', active)
  expect(copy.open).toBe(open)
  setOpen(known, 'one', undefined)
  expect([known.open, [...open!.keys()]]).toEqual([undefined, ['one', 'two', 'three']])
})

test('a signal that flaps within a batch leaves only the last of what happened to a hold', async () => {
  const held = { ...rule(1), for_seconds: 60 }
  const asset = createAssetWatch('a', 1, createModelWatch([held]))
  const values = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...sample(index * 1000), value: [index % 2 ? 0 : 3000] }))
  const crossingsOf = async (samples: StoredSample[]) => {
    const { crossings } = await evaluate(() => asset, samples, { batch: 1, nowMs: 1e6 })
    return crossings.map(({ crossing, orderMs }) => `${crossing} ${orderMs}`)
  }
  expect(await crossingsOf(values(1))).toEqual(['hold 0'])
  expect(await crossingsOf(values(100))).toEqual(['release 99000'])
  expect(await crossingsOf(values(101))).toEqual(['release 99000', 'hold 100000'])
  const lasting = { ...sample(200_000), value: [3000] }
  expect(await crossingsOf([...values(101), lasting])).toEqual(['crosses 200000'])
})

test('a model whose many alarms each read many signals is loaded in time in proportion to them', () => {
  const many = Array.from({ length: 3000 }, (_, index) => ({
    variable: `s${index}`,
    componentId: '',
    name: `s${index}`,
  }))
  const reading = { ...rule(1), condition: JSON.stringify({ '>': [{ var: 's0' }, 5] }), signals: many }
  const startedAtMs = performance.now()
  const { rules, rulesBySlot } = createModelWatch(Array.from({ length: 100 }, () => reading))
  expect(performance.now() - startedAtMs).toBeLessThan(4000)
  expect(rulesBySlot).toHaveLength(3000)
  expect(rulesBySlot.at(-1)).toEqual(rules)
})
