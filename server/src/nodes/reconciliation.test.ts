import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { testLog } from '../../test/harness/log.ts'
import { createReconciliation } from './reconciliation.ts'

test('requests during a round and the pause after it become one more round', async () => {
  const onReconnect = vi.fn<() => void>()
  const subscription = { onMessage: () => {}, onReconnect }
  const reconciliation = createReconciliation(new Map([['changes', subscription]]), testLog, 100)
  for (let count = 0; count < 10; count++) reconciliation.request()
  await sleep(10)
  for (let count = 0; count < 10; count++) reconciliation.request()
  expect(onReconnect).toHaveBeenCalledTimes(1)
  await sleep(150)
  for (let count = 0; count < 10; count++) reconciliation.startDue()
  await sleep(150)
  reconciliation.startDue()
  expect(onReconnect).toHaveBeenCalledTimes(2)
})
