import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createDeviceWarnings } from './device-warnings.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function warnings() {
  const lines: Record<string, unknown>[] = []
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const warn = createDeviceWarnings(log)
  return {
    lines,
    refuse: (device: string, reason = 'wrong_key') =>
      warn('a device was refused', { device, reason, message: 'The key is wrong.' }),
  }
}

test('a device that repeats an error is logged once in ten seconds, and the rest is counted', () => {
  const { lines, refuse } = warnings()
  for (let count = 0; count < 1000; count++) refuse('pump-1')
  refuse('pump-1', 'client_disabled')
  expect(lines).toMatchObject([
    { level: 40, device: 'pump-1', reason: 'wrong_key', message: 'The key is wrong.' },
    { device: 'pump-1', reason: 'client_disabled' },
  ])
  vi.advanceTimersByTime(10_000)
  expect(lines.at(-1)).toMatchObject({ level: 40, omitted: 999, seconds: 10 })
  refuse('pump-1')
  expect(lines).toHaveLength(4)
})

test('a fleet with one error is logged twenty times in ten seconds', () => {
  const { lines, refuse } = warnings()
  for (let count = 0; count < 10_000; count++) refuse(`pump-${count}`)
  expect(lines).toHaveLength(20)
  vi.advanceTimersByTime(10_000)
  expect(lines.at(-1)).toMatchObject({ omitted: 9980 })
})

test('a name from an unauthenticated client is truncated', () => {
  const { lines, refuse } = warnings()
  refuse('x'.repeat(5000))
  expect(lines[0]!.device).toHaveLength(128)
})
