import { expect, test } from 'vitest'
import { createSensors, INTERVAL_MS, isBoolean, SIGNALS } from './sensors.ts'

const DAY_MS = Date.UTC(2026, 0, 5)

test('the same samples in every run, different ones for each device', () => {
  const read = () => createSensors(['a', 'b']).map((sensor) => sensor.read(DAY_MS, 100))
  const [a, b] = read()
  expect(read()).toEqual([a, b])
  expect(a!.columns).not.toEqual(b!.columns)
})

test('two halves are the same as the whole', () => {
  const [whole] = createSensors(['a']).map((sensor) => sensor.read(DAY_MS, 100))
  const [sensor] = createSensors(['a'])
  const halves = [sensor!.read(DAY_MS, 50), sensor!.read(DAY_MS + 50 * INTERVAL_MS, 50)]
  for (const index of SIGNALS.keys())
    expect(halves.flatMap(({ columns }) => [...columns[index]!])).toEqual([...whole!.columns[index]!])
  expect(halves.flatMap(({ timesMs }) => [...timesMs])).toEqual([...whole!.timesMs])
})

test('no sample is on the border of an interval, and a boolean is 0 or 1', () => {
  for (const { timesMs, columns } of createSensors(['a', 'b', 'c']).map((one) => one.read(DAY_MS, 2000))) {
    expect(timesMs.every((ms) => ms % INTERVAL_MS !== 0)).toBe(true)
    const values = columns[SIGNALS.findIndex(isBoolean)]!
    expect([...new Set(values)].toSorted()).toEqual([0, 1])
  }
})
