import { expect, test } from 'vitest'
import { createGate } from './fair-gate.ts'

/** Notes who is let in, and lets the first one of a tenant out again. */
function visitors(gate: ReturnType<typeof createGate>) {
  const inside: [string, () => void][] = []
  return {
    come: (id: string) => void gate.enter(id).then((leave) => inside.push([id, leave])),
    leave: async (id: string) => {
      const index = inside.findIndex(([one]) => one === id)
      inside.splice(index, 1)[0]![1]()
      await Promise.resolve()
    },
    names: async () => {
      await Promise.resolve()
      return inside.map(([id]) => id).join('')
    },
  }
}

test('a tenant has its share and no more, and the rest is for others', async () => {
  const { come, leave, names } = visitors(createGate({ max: 3, maxPerTenant: 2 }))
  for (const id of 'aaaaab') come(id)
  expect(await names()).toBe('aab')
  await leave('b')
  expect(await names()).toBe('aa')
  await leave('a')
  expect(await names()).toBe('aa')
})

test('who asks seldom waits for one turn, not for all that others ask', async () => {
  const { come, leave, names } = visitors(createGate({ max: 2, maxPerTenant: 2 }))
  for (const id of 'aaaaaaa') come(id)
  come('b')
  come('b')
  expect(await names()).toBe('aa')
  await leave('a')
  expect(await names()).toBe('ab')
  await leave('a')
  expect(await names()).toBe('ba')
  await leave('b')
  expect(await names()).toBe('ab')
})

test('who gives up leaves the queue, and leaving twice counts once', async () => {
  const gate = createGate({ max: 1, maxPerTenant: 1 })
  const leave = await gate.enter('a')
  const patience = new AbortController()
  const waiting = gate.enter('a', patience.signal)
  patience.abort(new Error('long enough'))
  await expect(waiting).rejects.toThrow('long enough')
  leave()
  leave()
  const leaveAgain = await gate.enter('b')
  const next = gate.enter('c')
  const isIn = await Promise.race([next.then(() => true), Promise.resolve(false)])
  expect(isIn).toBe(false)
  leaveAgain()
  await next
})
