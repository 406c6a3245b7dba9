import { expect, test } from 'vitest'
import { fitPlaces, groupPlaces, isNearest, locate, pan, project, zoom } from './view.ts'

const whole = fitPlaces([], 0.5)

test('places are on a square, and the poles at its edges', () => {
  expect(project(0, 0)).toEqual({ x: 0.5, y: 0.5 })
  expect(project(0, -180).x).toBe(0)
  expect(project(0, 180).x).toBe(1)
  expect(project(90, 0).y).toBeCloseTo(0, 6)
  expect(project(-90, 0).y).toBeCloseTo(1, 6)
  // Berlin is at tile 8802, 5373 of the usual tiles of zoom 14.
  const berlin = project(52.52, 13.405)
  expect([Math.floor(berlin.x * 2 ** 14), Math.floor(berlin.y * 2 ** 14)]).toEqual([8802, 5373])
})

test.each([0.3, 1, 2])('all places fit into a widget of the aspect %s', (aspect) => {
  const places = [project(52.5, 13.4), project(-33.9, 151.2), project(40.7, -74)]
  const view = fitPlaces(places.slice(0, 2), aspect)
  for (const place of places.slice(0, 2)) {
    const { x, y } = locate(place, view, aspect)
    expect(x).toBeGreaterThanOrEqual(0)
    expect(x).toBeLessThanOrEqual(1)
    if (view.width < 1) expect([y >= 0, y <= 1]).toEqual([true, true])
  }
  expect(locate(places[0]!, fitPlaces([places[0]!], aspect), aspect)).toEqual({ x: 0.5, y: 0.5 })
})

test('a zoom keeps the place under the pointer, and ends at the whole map and at the nearest view', () => {
  const at = { x: 0.8, y: 0.25 }
  const before = zoom(whole, 0.5, 0.5, at)
  const under = (view: typeof whole) => ({
    x: view.x + (at.x - 0.5) * view.width,
    y: view.y + (at.y - 0.5) * view.width * 0.5,
  })
  expect(under(before).x).toBeCloseTo(under(whole).x, 9)
  expect(under(before).y).toBeCloseTo(under(whole).y, 9)
  expect(zoom(whole, 100, 0.5).width).toBe(1)
  const nearest = zoom(whole, 1e-12, 0.5)
  expect(isNearest(nearest)).toBe(true)
  expect(isNearest(zoom(nearest, 2, 0.5))).toBe(false)
})

test('a pan moves by shares of the widget, and ends at the edges of the map', () => {
  const near = zoom(whole, 0.1, 0.5)
  expect(pan(near, { x: 1, y: 0 }, 0.5).x).toBeCloseTo(near.x + 0.1, 9)
  expect(pan(near, { x: 0, y: -1 }, 0.5).y).toBeCloseTo(near.y - 0.05, 9)
  expect(pan(near, { x: 1000, y: 1000 }, 0.5)).toMatchObject({ x: 1, y: 1 })
})

test('places that would cover each other are one group, until the view is near enough', () => {
  const items = [
    { id: 'a', place: project(52.5, 13.4) },
    { id: 'b', place: project(52.6, 13.5) },
    { id: 'c', place: project(0, 0) },
  ]
  const list = (width: number) =>
    groupPlaces(items, { x: 0.5, y: 0.5, width }, 0.05).map((group) => group.map(({ id }) => id))
  expect(list(1)).toEqual([['a', 'b'], ['c']])
  expect(list(0.001)).toEqual([['a'], ['b'], ['c']])
})
