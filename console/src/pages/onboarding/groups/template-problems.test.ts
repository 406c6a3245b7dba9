import { expect, test } from 'vitest'
import words from '../../../words/en/groups.ts'
import { findTemplateProblems } from './template-problems.ts'

const find = (template: object) =>
  findTemplateProblems(template, words.template).map(({ path, message }) => `${path}: ${message}`)

test('a valid template has no problem', () => {
  expect(find({ a: ['{{ device.id }}', { b: 'x {{target.host}}:{{target.port}}' }], n: 1, z: null })).toEqual(
    [],
  )
})

test('[docs/onboarding#response-templates] problems that the server would report are found at their paths', () => {
  expect(find({ a: ['{{device.name}}'], b: { c: 'x {{target.port' }, '{{device.id}}': 1 })).toEqual([
    'a.0: There is no variable {{device.name}}.',
    'b.c: {{ without }}.',
    '{{device.id}}: Variables may stand in values, not in names.',
  ])
})
