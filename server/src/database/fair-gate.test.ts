import { expect, test } from 'vitest'
import { createGate } from './fair-gate.ts'

/** Records which callers are inside, and lets the first one of a tenant leave. */
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

test('a tenant gets its share and no more, and other tenants get the rest', async () => {
  const { come, leave, names } = visitors(createGate({ max: 3, maxPerTenant: 2 }))
  for (const id of 'aaaaab') come(id)
  expect(await names()).toBe('aab')
  await leave('b')
  expect(await names()).toBe('aa')
  await leave('a')
  expect(await names()).toBe('aa')
})

test('a tenant with few callers waits for one turn, and not for all callers of another tenant', async () => {
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

test('an aborted caller leaves the queue, and leaving twice counts once', async () => {
  const gate = createGate({ max: 1, maxPerTenant: 1 })
  const leave = await gate.enter('a')
  const giveUp = new AbortController()
  const waiting = gate.enter('a', giveUp.signal)
  giveUp.abort(new Error('long enough'))
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

test('a caller whose signal is aborted already is rejected at once and takes no place', async () => {
  const gate = createGate({ max: 1, maxPerTenant: 1 })
  await expect(gate.enter('a', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  const leave = await gate.enter('a')
  const waiting = gate.enter('a')
  await expect(gate.enter('a', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  leave()
  await waiting
})
