import { expect, test } from 'vitest'
import { listTiles } from './tile-source.ts'
import { project } from './view.ts'

const source = { address: 'https://t.example/{z}/{x}/{y}.png' }

test('the whole world is one tile, and nearer views have finer ones', () => {
  const whole = listTiles(source, { x: 0.5, y: 0.5, width: 1 }, { width: 256, height: 256 })
  expect(whole).toEqual([{ address: 'https://t.example/0/0/0.png', left: 0, top: 0, width: 1, height: 1 }])
  const zurich = { ...project(47.38, 8.54), width: 256 / 256 / 2 ** 10 }
  const near = listTiles(source, zurich, { width: 256, height: 256 })
  // The tile of Zurich that map servers give at this zoom.
  expect(near.map(({ address }) => address)).toContain('https://t.example/10/536/358.png')
  expect(near.length).toBe(4)
})

test('views beyond the edges have no tiles there, and the nearest one has those of the last zoom', () => {
  const corner = listTiles(source, { x: 0, y: 0, width: 1 }, { width: 512, height: 512 })
  expect(corner.map(({ address }) => address)).toEqual(['https://t.example/1/0/0.png'])
  expect(corner[0]).toMatchObject({ left: 0.5, top: 0.5, width: 0.5, height: 0.5 })
  const [nearest] = listTiles(source, { x: 0.3, y: 0.3, width: 1e-6 }, { width: 1000, height: 500 })
  expect(nearest!.address).toMatch(/^https:\/\/t\.example\/19\//)
  expect(listTiles(source, { x: 0.5, y: 0.5, width: 1 }, { width: 0, height: 0 })).toEqual([])
})
