import { ApiError } from '@gangway/client'
import { expect, test } from 'vitest'
import { acknowledgeAll } from './acknowledge-all.ts'
import type { Status } from './status.ts'

const statuses = ['1', '2', '3'].map((alarmStatusId) => ({ alarmStatusId }) as Status)

test('one that is refused does not hold up the others', async () => {
  const sent: string[] = []
  const { refused, stopped } = await acknowledgeAll(statuses, async ({ alarmStatusId }) => {
    if (alarmStatusId === '1')
      throw new ApiError('No', {
        status: 403,
        code: 'forbidden',
        details: {},
        requestId: undefined,
        retryAfterSeconds: undefined,
        request: '',
      })
    sent.push(alarmStatusId)
  })
  expect(sent).toEqual(['2', '3'])
  expect(refused.map(({ status }) => status.alarmStatusId)).toEqual(['1'])
  expect(stopped).toBeNull()
})

test('what would fail for all of them stops it', async () => {
  const sent: string[] = []
  const { refused, stopped } = await acknowledgeAll(statuses, async ({ alarmStatusId }) => {
    if (alarmStatusId === '2') throw new TypeError('Failed to fetch')
    sent.push(alarmStatusId)
  })
  expect(sent).toEqual(['1'])
  expect(refused).toEqual([])
  expect(stopped?.status.alarmStatusId).toBe('2')
})
