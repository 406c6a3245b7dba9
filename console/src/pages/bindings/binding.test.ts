import { expect, test } from 'vitest'
import { type Binding, listRows, parseEndpoint, startValues, writeEntry } from './binding.ts'
import { findProblemsOf } from './problems.ts'

const endpoint = parseEndpoint('pump-7/motor/telemetry/rpm')
const binding: Binding = {
  localEndpointId: 'pump-7/motor/telemetry/rpm',
  remoteEndpointIds: [{ name: 'x', endpointId: 'plc/-/telemetry/a/b' }],
  bindingType: 'default',
  transform: { '*': [{ var: 'x' }, 2] },
  inverseTransform: null,
  origin: 'explicit',
}

test('a binding is converted to fields and back without changes', () => {
  const { origin: _origin, ...entry } = binding
  expect(writeEntry(startValues(binding, endpoint), endpoint, binding)).toEqual(entry)
  expect(
    writeEntry({ ...startValues(binding, endpoint), transform: '{"*": ' }, endpoint, binding),
  ).toBeUndefined()
  expect(
    writeEntry({ ...startValues(binding, endpoint), transform: '[]' }, endpoint, binding),
  ).toBeUndefined()
  expect(startValues(undefined, endpoint).sources).toEqual([
    { name: 'value', instanceId: '', component: 'motor', signal: 'rpm' },
  ])
})

test('the list has every endpoint of the model once', () => {
  const rows = listRows({
    assetId: 'pump-7',
    bindings: [{ ...binding, lastError: { message: 'no', time: null } }],
    unboundEndpointIds: ['pump-7/-/telemetry/t'],
    ignoreEndpointIds: ['pump-7/motor/telemetry/rpm', 'pump-7/-/command/start'],
  })
  expect(rows.map(({ id, state }) => [id, state])).toEqual([
    ['pump-7/-/command/start', 'ignored'],
    ['pump-7/-/telemetry/t', 'unbound'],
    ['pump-7/motor/telemetry/rpm', 'failing'],
  ])
})

test('problems of a preview and of a bind request are assigned to their fields', () => {
  const issues = [
    { path: 'binding.transform.*.0', message: 'a' },
    { path: 'binding.remoteEndpointIds.1.endpointId', message: 'b' },
    { path: 'endpointBindings.0.inverseTransform', message: 'c' },
    { path: 'endpointBindings.0', message: 'd' },
  ]
  expect(findProblemsOf(issues)).toEqual({
    transform: [{ path: '*.0', message: 'a' }],
    inverse: [{ path: '', message: 'c' }],
    sources: { 1: ['b'] },
    other: ['d'],
  })
})
