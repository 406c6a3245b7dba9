import { expect, test } from 'vitest'
import type { Watchers } from '../state.ts'
import {
  addOwners,
  type Buckets,
  decodeInterest,
  encodeInterest,
  findBucket,
  findBuckets,
  hasBucket,
  mergeInterests,
  narrowInterest,
} from './interest.ts'

const LARGE = 1_000_000
const owner = (ownerId: string) => ({ ownerType: 'asset' as const, ownerId })
const owners = (count: number, prefix = 'pump') =>
  Array.from({ length: count }, (_, index) => owner(`${prefix}-${index}`))

function interestIn(counts: Record<string, number>) {
  const interest = new Map<string, Buckets>()
  for (const [tenantId, count] of Object.entries(counts)) addOwners(interest, tenantId, owners(count))
  return interest
}

const wants = (interest: ReturnType<typeof decodeInterest>, tenantId: string, ownerId: string) => {
  const buckets = findBuckets(interest, tenantId)
  return buckets !== undefined && hasBucket(buckets, findBucket(ownerId))
}

test('an interest is the same after it was announced, with few owners and with many', () => {
  const interest = interestIn({ few: 3, many: 3000 })
  const encoded = JSON.parse(JSON.stringify(encodeInterest(interest, LARGE)))
  expect(decodeInterest(encoded)).toEqual(interest)
  expect(JSON.stringify(encoded[0]).length).toBeLessThan(40)
  expect(JSON.stringify(encoded[1]).length).toBeLessThan(800)
})

test('few owners want few samples of a large tenant, and none of another one with the same ids', () => {
  const interest = interestIn({ here: 3 })
  const wanted = owners(100_000).filter(({ ownerId }) => wants(interest, 'here', ownerId))
  expect(wanted.slice(0, 3)).toEqual(owners(3))
  expect(wanted.length).toBeLessThan(200)
  expect(wants(interest, 'there', 'pump-0')).toBe(false)
})

test('an announcement that would be too large covers all of the fullest tenants', () => {
  const interest = interestIn({ few: 3, many: 3000, more: 4000 })
  const full = JSON.stringify(encodeInterest(interest, LARGE)).length
  const encoded = encodeInterest(interest, full - 100)
  expect(JSON.stringify(encoded).length).toBeLessThanOrEqual(full - 100)
  const some = decodeInterest(encoded)
  for (const tenantId of ['many', 'more']) {
    const missing = owners(3000).filter(({ ownerId }) => !wants(some, tenantId, ownerId))
    expect(missing).toEqual([])
  }
  expect(owners(1000, 'other').filter(({ ownerId }) => wants(some, 'few', ownerId)).length).toBeLessThan(20)
  expect(
    [...(some as Map<string, Buckets>).values()].filter((bits) => bits.every((b) => b === 255)).length,
  ).toBe(1)
})

test('where the ids of the tenants alone are too large, all tenants are covered', () => {
  const interest = interestIn(Object.fromEntries(owners(1000, 'tenant').map(({ ownerId }) => [ownerId, 1])))
  expect(encodeInterest(interest, 7000)).toBe('all')
  expect(wants(decodeInterest('all'), 'any', 'any')).toBe(true)
  expect(mergeInterests('all', interest)).toBe('all')
})

test('an addition takes nothing away, and does not change what all of a tenant is', () => {
  const before = decodeInterest([
    ['one', [1, 2]],
    ['all', 'all'],
  ])
  const after = mergeInterests(
    before,
    decodeInterest([
      ['one', [2, 3]],
      ['all', [5]],
      ['two', [4]],
    ]),
  ) as Map<string, Buckets>
  expect(encodeInterest(new Map([...after].filter(([id]) => id !== 'all')), LARGE)).toEqual([
    ['one', [1, 2, 3]],
    ['two', [4]],
  ])
  expect(wants(after, 'all', 'anything')).toBe(true)
})

test('what nobody watches any more is left out, and nothing is added that was not announced', () => {
  const interest = interestIn({ here: 2, gone: 1 })
  const watched = new Map([
    ['pump-1', new Set([])],
    ['not announced', new Set([])],
  ])
  const watchers: Watchers = new Map([
    ['here', { telemetry: { asset: watched, client: new Map() }, alarm: new Map([['pump-0', new Set([])]]) }],
  ])
  const narrowed = narrowInterest(interest, watchers)
  expect([...narrowed.keys()]).toEqual(['here'])
  expect(['pump-0', 'pump-1', 'not announced'].map((id) => wants(narrowed, 'here', id))).toEqual([
    false,
    true,
    false,
  ])
})
