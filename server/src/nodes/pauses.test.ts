import { expect, test } from 'vitest'
import { standStill } from '../../test/harness/stand-still.ts'
import { createPauses } from './pauses.ts'

test('a node that stood still notices it before its timers run, unless it is the only one', () => {
  const peers = { exist: false }
  const pauses = createPauses(peers)
  using _watching = pauses.watch()
  standStill()
  expect(pauses.isRecent()).toBe(false)
  peers.exist = true
  expect(pauses.isRecent()).toBe(true)
})

test('a node that works did not stand still', () => {
  const pauses = createPauses({ exist: true })
  using _watching = pauses.watch()
  expect(pauses.isRecent()).toBe(false)
})
