import Type, { type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { createCleaner } from './clean.ts'

const flat = Type.Object({ name: Type.String(), kind: Type.Optional(Type.Enum(['a', 'b'])) })
const nested = Type.Object({ name: Type.String(), inside: flat })
const open = Type.Object({ name: Type.String() }, { additionalProperties: true })
const text =
  '{"name": "n", "kind": "a", "more": 1, "inside": {"name": "i", "more": 1}, "__proto__": {"admin": true}}'

test.each<[string, TSchema, object]>([
  ['a flat object keeps its fields', flat, { name: 'n', kind: 'a' }],
  ['so does one inside of another', nested, { name: 'n', inside: { name: 'i' } }],
])('%s and removes the others', (_what, schema, expected) => {
  const cleaned = createCleaner(schema)(JSON.parse(text) as object)
  expect(cleaned).toEqual(expected)
  expect(Object.getPrototypeOf(cleaned)).toBe(Object.prototype)
  expect(cleaned).toEqual(Value.Clean(schema, JSON.parse(text)))
})

test('an object that is open keeps everything', () => {
  const value = { name: 'n', more: { deep: 1 } }
  expect(createCleaner(open)({ ...value })).toEqual(value)
})
