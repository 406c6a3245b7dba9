import { expect, test } from 'vitest'
import { checkSignal, newSignal, startSignal, writeSignal } from './signal-values.ts'

const words = { required: 'required', needed: 'needed' }

test.each([
  ['sine', {}, { amplitude: 5, offset: 20, periodSeconds: 600 }],
  ['constant', { value: 'true' }, { value: true }],
  ['constant', { value: '21.5' }, { value: 21.5 }],
  ['constant', { value: '"21.5"' }, { value: '21.5' }],
  ['constant', { value: '[1]' }, { value: '[1]' }],
  ['constant', { value: 'null' }, { value: 'null' }],
  ['steps', { values: ['1', 'off'] }, { values: [1, 'off'], holdSeconds: 60 }],
  ['randomWalk', { numbers: { start: 1, step: 2, min: 0, max: null } }, { start: 1, step: 2, min: 0 }],
  ['csv', { resourceId: 'r', column: 'c' }, { resourceId: 'r', column: 'c', loop: true }],
] as const)('%s %j is written with its own fields', (generator, fields, expected) => {
  const signal = { ...newSignal, name: ' t ', generator, ...fields }
  expect(writeSignal(signal as typeof newSignal)).toEqual({ name: 't', generator, ...expected })
})

test('what a generator needs is asked for', () => {
  const problems = (fields: object) => checkSignal({ ...newSignal, ...fields }, words)
  expect(problems({ name: 't' })).toEqual({})
  expect(problems({ numbers: {} })).toEqual({
    name: 'required',
    amplitude: 'needed',
    offset: 'needed',
    periodSeconds: 'needed',
  })
  expect(problems({ name: 't', generator: 'constant' })).toEqual({ value: 'required' })
  expect(problems({ name: 't', generator: 'steps' })).toEqual({ values: 'required' })
  expect(problems({ name: 't', generator: 'csv' })).toEqual({ resourceId: 'required', column: 'required' })
})

test.each([
  ['double', { amplitude: 5, offset: 20, periodSeconds: 600, generator: 'sine' }],
  ['integer', { amplitude: 5, offset: 20, periodSeconds: 600, generator: 'sine' }],
  ['boolean', { value: true, generator: 'constant' }],
  ['string', { value: 'on', generator: 'constant' }],
])('a telemetry of type %s can be sent as it begins', (schema, expected) => {
  const signal = startSignal({ name: 't', componentId: 'motor', schema })!
  expect(checkSignal(signal, words)).toEqual({})
  expect(writeSignal(signal)).toEqual({ name: 't', component: 'motor', ...expected })
})

test('a telemetry that is an object has no generator', () =>
  expect(startSignal({ name: 't', componentId: null, schema: { '@type': 'Object' } })).toBeUndefined())
