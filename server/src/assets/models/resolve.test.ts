import { expect, test } from 'vitest'
import type { Interface } from './dtdl/model.ts'
import { readInterface } from './dtdl/interface.ts'
import { resolveModel } from './resolve.ts'

/** @param names of telemetry; `name=Model` is a component */
const model = (id: string, bases: string[], names: string[] = []): Interface =>
  readInterface({
    '@context': 'dtmi:dtdl:context;3',
    '@id': `dtmi:${id};1`,
    '@type': 'Interface',
    extends: bases.map((base) => `dtmi:${base};1`),
    contents: names.map((text) => {
      const [name, component] = text.split('=')
      return component
        ? { '@type': 'Component', name, schema: `dtmi:${component};1` }
        : { '@type': 'Telemetry', name, schema: 'double' }
    }),
  })

const resolve = (root: Interface, ...others: Interface[]) =>
  resolveModel(root, new Map(others.map((other) => [other.id, other]))).map(({ componentId, name }) =>
    componentId === null ? name : `${componentId}.${name}`,
  )
const numbered = (count: number, suffix = '') => Array.from({ length: count }, (_, i) => `n${i}${suffix}`)

test('contents are inherited through several models, each once, and components add theirs [docs/models]', () => {
  const top = model('Top', [], ['a'])
  const [left, right] = [model('Left', ['Top'], ['b']), model('Right', ['Top'], ['c'])]
  const motor = model('Motor', ['Top'], ['speed'])
  const root = model('Root', ['Left', 'Right'], ['d', 'm1=Motor', 'm2=Motor'])
  expect(resolve(root, top, left, right, motor)).toEqual([
    'a',
    'b',
    'c',
    'd',
    'm1',
    'm2',
    'm1.a',
    'm1.speed',
    'm2.a',
    'm2.speed',
  ])
})

const chain = (length: number) => numbered(length).map((id, i) => model(id, i === 0 ? [] : [`n${i - 1}`]))

test.each([
  ['itself', [model('A', ['A'])], /circle: dtmi:A;1 → dtmi:A;1/],
  ['itself through another', [model('A', ['B']), model('B', ['A'])], /dtmi:A;1 → dtmi:B;1 → dtmi:A;1/],
  ['itself through two', [model('A', ['B']), model('B', ['C']), model('C', ['A'])], /circle/],
  ['a circle further up', [model('A', ['B']), model('B', ['C']), model('C', ['B'])], /circle/],
  ['an unknown model', [model('A', ['B'])], /extends: there is no model dtmi:B;1/],
  ['eleven models deep', [model('A', ['n10']), ...chain(11)], /more than 10 models/],
  [
    'a model with its own name',
    [model('A', ['B'], ['x']), model('B', [], ['x'])],
    /contents.0: x is in dtmi:B;1 and in dtmi:A;1/,
  ],
  [
    'two models with one name',
    [model('A', ['B', 'C']), model('B', [], ['x']), model('C', [], ['x'])],
    /extends: x is in/,
  ],
  [
    'more than 1,000 contents',
    [model('A', ['B'], ['x']), model('B', [], numbered(1000))],
    /1001, more than 1000/,
  ],
])('a model that extends %s is refused', (_what, [root, ...others], message) => {
  expect(() => resolve(root!, ...others)).toThrow(message)
})

test.each([
  ['itself', [model('A', [], ['c=A'])], /contents.0: the model dtmi:A;1 has components/],
  [
    'a model with components',
    [model('A', [], ['c=B']), model('B', [], ['d=C']), model('C', [])],
    /cannot contain another/,
  ],
  [
    'one that inherits them',
    [model('A', [], ['c=B']), model('B', ['C']), model('C', [], ['d=D']), model('D', [])],
    /cannot contain/,
  ],
  [
    'more than 10,000 contents',
    [model('A', [], numbered(11, '=B')), model('B', [], numbered(1000))],
    /contents.9: makes the model too large/,
  ],
])('a component that is %s is refused', (_what, [root, ...others], message) => {
  expect(() => resolve(root!, ...others)).toThrow(message)
})

test('ten levels and 1,000 components are accepted; many paths to one base cost nothing', () => {
  expect(resolve(model('A', ['n9']), ...chain(10))).toEqual([])
  expect(resolve(model('A', [], numbered(1000, '=B')), model('B', [], ['x', 'y']))).toHaveLength(3000)
  const layers = Array.from({ length: 10 }, (_, depth) =>
    numbered(100, `d${depth}`).map((id) => model(id, depth === 0 ? [] : numbered(100, `d${depth - 1}`))),
  )
  expect(resolve(model('A', numbered(100, 'd9')), ...layers.flat())).toEqual([])
})
