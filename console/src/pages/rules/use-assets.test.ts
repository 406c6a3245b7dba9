import { expect, test } from 'vitest'
import { chooseTested, offerAssets } from './use-assets.ts'

test('a rule is tested over the assets that it names, or else over those of its model', () => {
  const ofModel = [{ id: 'a' }, { id: 'b' }]
  expect(chooseTested({ assetIds: ['b'] }, ofModel)).toEqual(['b'])
  expect(chooseTested({ assetIds: [] }, ofModel)).toEqual(['a', 'b'])
  const many = Array.from({ length: 120 }, (_, index) => String(index))
  expect(chooseTested({ assetIds: many }, [])).toHaveLength(100)
})

test('the assets that a rule names are offered, or else the chosen one and those that were found', () => {
  const found = [
    { id: 'a', displayName: 'Pump A' },
    { id: 'b', displayName: 'Pump B' },
  ]
  expect([...offerAssets(['z', 'b'], 'b', found)]).toEqual([
    ['z', 'z'],
    ['b', 'Pump B'],
  ])
  expect([...offerAssets([], 'c', found, [{ id: 'c', displayName: 'Pump C' }]).values()]).toEqual([
    'Pump C',
    'Pump A',
    'Pump B',
  ])
  expect(offerAssets([], '', []).size).toBe(0)
})
