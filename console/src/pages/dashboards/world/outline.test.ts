import { expect, test } from 'vitest'
import { loadOutline, SIZE, type Topology, writeOutline } from './outline.ts'

test('a ring follows its lines, some of them backwards', () => {
  const topology: Topology = {
    transform: { scale: [90, 1], translate: [-180, 0] },
    arcs: [
      [
        [0, 0],
        [2, 0],
      ],
      [
        [0, 0],
        [0, 0],
        [2, 0],
      ],
    ],
    objects: { land: { geometries: [{ arcs: [[[0, ~1]]] }] } },
  }
  expect(writeOutline(topology)).toEqual({
    land: 'M0.00 500.00L500.00 500.00L500.00 500.00L0.00 500.00L0.00 500.00Z',
    lines: 'M0.00 500.00L500.00 500.00M0.00 500.00L0.00 500.00L500.00 500.00',
  })
})

test('the outline that comes with the console lies on the map', async () => {
  const { land, lines } = await loadOutline()
  for (const path of [land, lines]) {
    const numbers = path.match(/-?[\d.]+/g)!.map(Number)
    expect(numbers.length).toBeGreaterThan(10_000)
    expect(numbers.every((value) => value >= 0 && value <= SIZE)).toBe(true)
  }
})
