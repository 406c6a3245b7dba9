import { ApiError } from '@gangway/client'
import { expect, test } from 'vitest'
import { findMissing, keepFound } from './missing.ts'

const refusal = (status: number, code: 'not_found' | 'forbidden' | 'rate_limited', message: string) =>
  new ApiError(message, {
    status,
    code: code as never,
    details: {},
    requestId: undefined,
    retryAfterSeconds: undefined,
    request: 'POST /v1/timeseries/get',
  })
const gone = refusal(404, 'not_found', 'There is no asset pump-13.')

test('the missing asset is the one that the reason names', () => {
  const assets = ['pump-1', 'pump-13', '13']
  expect(findMissing(gone, assets)).toBe('pump-13')
  const forbidden = 'This needs the permission view on the asset pump-1. The token is limited.'
  expect(findMissing(refusal(403, 'forbidden', forbidden), assets)).toBe('pump-1')
  expect(findMissing(new Error('You may no longer view 13.'), assets)).toBe('13')
  expect(findMissing(new Error('The subscription has ended.'), assets)).toBeUndefined()
  expect(findMissing(refusal(429, 'rate_limited', 'Wait for pump-1.'), assets)).toBeUndefined()
})

test('the history of the other assets is kept', () => {
  const found: PromiseSettledResult<number[]> = { status: 'fulfilled', value: [1, 2] }
  const missing = { status: 'rejected', reason: gone } as const
  expect(keepFound([found, missing])).toEqual([1, 2])
  expect(() => keepFound([missing, missing])).toThrow('There is no asset pump-13.')
  const busy = { status: 'rejected', reason: refusal(429, 'rate_limited', 'Too many requests.') } as const
  expect(() => keepFound([found, missing, busy])).toThrow('Too many requests.')
})
