import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { testLog } from '../../test/harness/log.ts'
import { createReconciliation } from './reconciliation.ts'

test('requests during a round and the pause after it become one more round', async () => {
  let nowMs = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  onTestFinished(() => clock.mockRestore())
  const onReconnect = vi.fn<() => void>()
  const subscription = { onMessage: () => {}, onReconnect }
  const reconciliation = createReconciliation(new Map([['changes', subscription]]), testLog, 100)
  for (let count = 0; count < 10; count++) reconciliation.request()
  // The round ends.
  await setImmediate()
  nowMs = 99
  for (let count = 0; count < 10; count++) reconciliation.request()
  expect(onReconnect).toHaveBeenCalledTimes(1)
  nowMs = 100
  for (let count = 0; count < 10; count++) reconciliation.startDue()
  await setImmediate()
  nowMs = 300
  reconciliation.startDue()
  expect(onReconnect).toHaveBeenCalledTimes(2)
})
