import { expect, test } from 'vitest'
import { withValues } from './merge-reported.ts'

test('values replace, null removes, and those of a component go into its object', () => {
  const reported = { a: 1, gone: 2, motor: { limit: 3, old: 4 }, fan: 5 }
  const values = [
    { componentId: '', name: 'a', value: { b: 1, c: null } },
    { componentId: '', name: 'gone', value: null },
    { componentId: 'motor', name: 'limit', value: 6 },
    { componentId: 'motor', name: 'old', value: null },
    { componentId: 'fan', name: 'speed', value: 7 },
    { componentId: 'pump', name: 'speed', value: null },
  ]
  expect(withValues(reported, values)).toEqual({ a: { b: 1 }, motor: { limit: 6 }, fan: { speed: 7 } })
  expect(reported.motor).toEqual({ limit: 3, old: 4 })
})

test('a value of the name of a component replaces it, and a component such a value', () => {
  const inMotor = { componentId: 'motor', name: 'limit', value: 1 }
  const asMotor = { componentId: '', name: 'motor', value: 2 }
  expect(withValues({}, [inMotor, asMotor])).toEqual({ motor: 2 })
  expect(withValues({}, [asMotor, inMotor])).toEqual({ motor: { limit: 1 } })
})

test('a report of thousands of properties takes time in proportion to them', () => {
  const values = Array.from({ length: 10_000 }, (_, index) => ({
    componentId: index % 2 ? 'motor' : '',
    name: `property-${index}`,
    value: index,
  }))
  const startedAtMs = performance.now()
  expect(Object.keys(withValues({}, values))).toHaveLength(5001)
  expect(performance.now() - startedAtMs).toBeLessThan(1000)
})
