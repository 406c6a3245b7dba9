import { expect, test } from 'vitest'
import { countByAsset, sumUp } from './use-told.ts'

test('each user gets a message for each activation and each notification, and the reasons are kept', () => {
  const activations = ['a', 'b', 'b', 'b'].map((entityId) => ({ entityId }))
  const counts = countByAsset(activations)
  expect(counts).toEqual([
    ['b', 3],
    ['a', 1],
  ])
  const to = (userId: string, reason: string | null) => ({
    userId,
    displayName: userId,
    receives: reason === null,
    reason: reason as never,
  })
  const found = [
    { assetId: 'a', recipients: [to('ana', null), to('ben', 'no_access_to_asset')] },
    { assetId: 'b', recipients: [to('ana', null), to('ben', null), to('eve', 'user_disabled')] },
    { assetId: 'b', recipients: [to('ana', null), to('eve', 'user_disabled')] },
  ]
  expect(sumUp(found, new Map(counts))).toEqual([
    { userId: 'ana', name: 'ana', times: 7, reasons: [] },
    { userId: 'ben', name: 'ben', times: 3, reasons: ['no_access_to_asset'] },
    { userId: 'eve', name: 'eve', times: 0, reasons: ['user_disabled'] },
  ])
})
