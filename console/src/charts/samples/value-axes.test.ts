import { expect, test } from 'vitest'
import { assignAxes } from './value-axes.ts'

test('each unit has an axis, at the left and right in turn', () => {
  expect(assignAxes(['°C', 'kPa', '°C'], 1100)).toEqual([
    { unit: '°C', side: 'left', isShown: true, series: [0, 2] },
    { unit: 'kPa', side: 'right', isShown: true, series: [1] },
  ])
})

test('where there is no room, the first axis is drawn alone', () => {
  expect(assignAxes(['°C', 'kPa'], 360).map(({ isShown }) => isShown)).toEqual([true, false])
})
