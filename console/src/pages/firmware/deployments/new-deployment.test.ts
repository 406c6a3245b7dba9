import { expect, test } from 'vitest'
import { areWaves, checkDeployment, emptyDeployment, readWaves, writePreview } from './new-deployment.ts'

test.each([
  ['5, 25, 100', true],
  ['100', true],
  ['5 % 25 % 100 %', true],
  ['0.5;100', true],
  ['', false],
  ['0, 100', false],
  ['25, 5, 100', false],
  ['5, 5, 100', false],
  ['5, 25', false],
  ['5, x, 100', false],
  ['5, 101', false],
  [Array.from({ length: 21 }, (_, index) => 80 + index).join(' '), false],
])('waves %s: %s', (text, areGood) => expect(areWaves(readWaves(text))).toBe(areGood))

test('a problem is named by the path of the API', () => {
  const words = { wavesRule: 'waves', percentRule: 'percent', tagRule: 'tag', timeoutRule: 'timeout' }
  const bad = { ...emptyDeployment, waves: '5', threshold: null, tag: 'north', timeoutMinutes: 0.5 }
  expect(checkDeployment(emptyDeployment, words)).toEqual({})
  expect(checkDeployment(bad, words)).toEqual({
    'rollout.waves': 'waves',
    'rollout.failureThresholdPercent': 'percent',
    'selection.tag': 'tag',
    timeoutSeconds: 'timeout',
  })
})

test('conditions that are empty are not sent', () => {
  const { selection, rollout } = writePreview({
    ...emptyDeployment,
    isRollout: false,
    modelId: 'pump',
    search: ' ',
    of: { id: 'd', previousReleaseId: '', statuses: ['Failed'] },
  })
  expect(selection).toEqual({ modelId: 'pump', deployment: { id: 'd', statuses: ['Failed'] } })
  expect(rollout).toBeUndefined()
})
