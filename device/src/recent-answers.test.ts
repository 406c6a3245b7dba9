import { expect, test } from 'vitest'
import { createRecentAnswers } from './recent-answers.ts'

test('forgets the oldest finished answers beyond 256 or 4 MiB, and never one whose method is running', () => {
  const answers = createRecentAnswers()
  answers.start('running')
  for (let index = 0; index < 300; index++) answers.finish(answers.start(`${index}`), Buffer.from('x'))
  expect(answers.find('running')).toBeDefined()
  expect([answers.find('43'), answers.find('44')?.topic]).toEqual([undefined, '44'])

  for (let index = 0; index < 6; index++)
    answers.finish(answers.start(`large ${index}`), Buffer.alloc(1_000_000))
  expect([answers.find('299'), answers.find('large 1'), answers.find('large 2')?.topic]).toEqual([
    undefined,
    undefined,
    'large 2',
  ])
})
