import fc from 'fast-check'
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

const names = ['a', 'b', 'c']
const { schema: anySchema } = fc.letrec<{ schema: TSchema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<TSchema>(Type.String(), Type.Number(), Type.Null()),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((members) => Type.Union(members)),
    tie('schema').map((items) => Type.Array(items)),
    tie('schema').map((values) => Type.Record(Type.String(), values)),
    fc.tuple(tie('schema'), tie('schema')).map((items) => Type.Tuple(items)),
    fc
      .tuple(fc.dictionary(fc.constantFrom(...names), tie('schema'), { maxKeys: 3 }), fc.boolean())
      .map(([fields, isOpen]) => Type.Object(fields, isOpen ? { additionalProperties: true } : {})),
  ),
}))
const anyValue = fc.object({ key: fc.constantFrom(...names, 'd', '__proto__'), maxDepth: 4 })

test('any value is cleaned as TypeBox cleans it', () => {
  fc.assert(
    fc.property(anySchema, fc.oneof(anyValue, fc.array(anyValue)), (schema, value) => {
      expect(createCleaner(schema)(structuredClone(value))).toEqual(
        Value.Clean(schema, structuredClone(value)),
      )
    }),
  )
})
