import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Widget } from '../board/board.ts'
import { findPlace, fitPosition, inReadingOrder, placeWidget } from './grid.ts'

const makeWidget = (id: string, x: number, y: number, w: number, h: number): Widget => ({
  id,
  kind: 'text',
  position: { x, y, w, h },
  options: {},
})

test('a widget pushes what it covers down, and that pushes the next', () => {
  const widgets = [makeWidget('a', 0, 0, 6, 2), makeWidget('b', 0, 2, 6, 2), makeWidget('c', 6, 0, 6, 2)]
  const placed = placeWidget(widgets, 'c', { x: 3, y: 0, w: 6, h: 2 }, 12)
  expect(placed.map(({ position }) => position.y)).toEqual([2, 4, 0])
})

test('a widget stays within the grid', () => {
  expect(fitPosition({ x: 10, y: -1, w: 20, h: 0 }, 12)).toEqual({ x: 0, y: 0, w: 12, h: 1 })
})

test('a new widget takes the first free place', () => {
  const widgets = [makeWidget('a', 0, 0, 6, 2)]
  expect(findPlace(widgets, { w: 6, h: 2 }, 12)).toEqual({ x: 6, y: 0, w: 6, h: 2 })
  expect(findPlace(widgets, { w: 12, h: 2 }, 12)).toEqual({ x: 0, y: 2, w: 12, h: 2 })
  const two = [makeWidget('b', 6, 0, 1, 1), makeWidget('a', 0, 0, 1, 1)]
  expect(inReadingOrder(two).map(({ id }) => id)).toEqual(['a', 'b'])
})

test('widgets never overlap, whatever is moved where', () => {
  const position = fc.record({
    x: fc.integer({ min: -2, max: 14 }),
    y: fc.integer({ min: 0, max: 12 }),
    w: fc.integer({ min: 1, max: 14 }),
    h: fc.integer({ min: 1, max: 6 }),
  })
  fc.assert(
    fc.property(fc.array(position, { minLength: 1, maxLength: 12 }), (moves) => {
      let widgets: Widget[] = []
      for (const [index, wanted] of moves.entries()) {
        widgets = [
          ...widgets,
          { ...makeWidget(`w${index}`, 0, 0, 1, 1), position: findPlace(widgets, { w: 3, h: 2 }, 12) },
        ]
        widgets = placeWidget(widgets, `w${Math.floor(index / 2)}`, wanted, 12)
      }
      for (const [index, { position: a }] of widgets.entries())
        for (const { position: b } of widgets.slice(index + 1))
          expect(a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h).toBe(false)
    }),
    { numRuns: 100 },
  )
})
