import { expect, test } from 'vitest'
import { nearestName } from './nearest.ts'

const known = ['payload', 'componentId', 'expiresAfterSeconds', 'timeoutSeconds']

test.each([
  ['payloud', 'payload'],
  ['component_id', 'componentId'],
  ['ComponentID', 'componentId'],
  ['expiresAfter', 'expiresAfterSeconds'],
  ['timeout', 'timeoutSeconds'],
  ['delay', undefined],
  ['x', undefined],
  ['', undefined],
  ['payload'.repeat(100_000), undefined],
])('the nearest name of %.20s is %s', (name, nearest) => {
  expect(nearestName(name, known)).toBe(nearest)
})

test('nothing is near where nothing is known', () => {
  expect(nearestName('payload', [])).toBeUndefined()
})
