import { expect, test } from 'vitest'
import type { Attempt } from './attempt.ts'
import { startAttempt } from './start-attempt.ts'
import { describeStep, stepCodes } from './step-codes.ts'

test('a trail is recorded once, with its steps in order and its owner', () => {
  const recorded: Attempt[] = []
  const attempts = { record: (attempt: Attempt) => void recorded.push(attempt) }
  const trail = startAttempt(attempts, { kind: 'settings', deviceId: 'pump-1', address: '192.0.2.1' })
  trail.step('device_found')
  trail.assign({ tenantId: 'default', groupId: 'g' })
  trail.end('failed', 'provider_unavailable', 'It answers 500.')
  trail.end('succeeded', 'settings_sent')
  expect(recorded).toEqual([
    {
      kind: 'settings',
      deviceId: 'pump-1',
      address: '192.0.2.1',
      tenantId: 'default',
      groupId: 'g',
      isProven: true,
      startedAt: expect.any(Date),
      durationMs: expect.any(Number),
      outcome: 'failed',
      steps: [{ code: 'device_found' }, { code: 'provider_unavailable', message: 'It answers 500.' }],
    },
  ])
})

test('every code is a word of its own with a meaning in a sentence', () => {
  for (const code of Object.keys(stepCodes)) {
    const { meaning, action = 'Nothing.' } = describeStep(code)!
    expect([code, meaning, action]).toEqual([
      expect.stringMatching(/^[a-z_]+$/),
      expect.stringMatching(/^[A-Z].*\.$/),
      expect.stringMatching(/^[A-Z].*\.$/),
    ])
  }
  expect(describeStep('of_a_later_version')).toBeUndefined()
})
