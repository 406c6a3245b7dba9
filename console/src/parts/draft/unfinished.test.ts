import { expect, test, vi } from 'vitest'
import type { Draft } from './use-draft.ts'
import { withUnfinished } from './unfinished.ts'

test('an unfinished text counts as a change, and undo drops it before any step', () => {
  const calls = { undo: vi.fn<() => void>(), discard: vi.fn<() => void>() }
  const draft = { ...calls, isChanged: false, canUndo: false, sinceMs: null } as unknown as Draft<object>
  const drop = vi.fn<() => void>()
  expect(withUnfinished(draft, null, drop)).toBe(draft)
  const shown = withUnfinished(draft, { text: '{', sinceMs: 7 }, drop)
  expect(shown).toMatchObject({ isChanged: true, canUndo: true, canRedo: false, sinceMs: 7 })
  shown.undo()
  expect(drop).toHaveBeenCalledOnce()
  shown.discard()
  expect(drop).toHaveBeenCalledTimes(2)
  expect(calls.undo).not.toHaveBeenCalled()
  expect(calls.discard).not.toHaveBeenCalled()
})
