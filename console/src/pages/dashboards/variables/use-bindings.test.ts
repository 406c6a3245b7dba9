import { expect, test } from 'vitest'
import { listBelow } from './use-bindings.ts'

type Place = Parameters<typeof listBelow>[0]
const asset = (id: string, ...children: Place[]): Place => ({ id, type: 'ASSET', children })
const node = (id: string, ...children: Place[]): Place => ({ id, type: 'NODE', children })

test('assets below a node are listed level by level, once each', () => {
  const tree = node(
    'top',
    node('n1', asset('c'), asset('a')),
    asset('z', asset('part')),
    node('n0', asset('a')),
  )
  expect(listBelow(tree)).toEqual({ assets: ['z', 'part', 'a', 'c'], isDeep: false })
})

test('a node on the last level that is read may have more below it', () => {
  const chain = (length: number, end: Place): Place =>
    length === 0 ? end : node(`n${length}`, chain(length - 1, end))
  expect(listBelow(chain(5, asset('a')))).toEqual({ assets: ['a'], isDeep: false })
  expect(listBelow(chain(5, node('last')))).toEqual({ assets: [], isDeep: true })
})
