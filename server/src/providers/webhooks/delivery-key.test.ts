import { expect, test } from 'vitest'
import { deliveryKey } from './delivery-key.ts'

const [first, last] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']

test('the keys of a webhook are in the order of the events, all of one length and of digits', () => {
  const webhook = '0190b0f0-5c3e-7000-8000-00000000000a'
  const events = [first, '0190b0f0-5c3e-7000-8000-00000000000f', '0190b0f0-5c3e-7000-8000-0000000000aa', last]
  const keys = events.map((event) => deliveryKey(webhook, event))
  expect(keys.toSorted()).toEqual(keys)
  expect(new Set(keys).size).toBe(4)
  for (const key of keys) expect(key).toMatch(/^webhook\/\d{39}\/\d{39}$/)
  expect(deliveryKey(webhook.toUpperCase(), first)).toBe(keys[0])
})
