/** Finds values of enums and fields of objects by name: a schema may have a thousand, and a value tens of thousands. */
import type { DataSchema, Field } from './dtdl/model.ts'

type EnumSchema = Extract<DataSchema, { type: 'enum' }>
type ObjectSchema = Extract<DataSchema, { type: 'object' }>

const enumIndexes = new WeakMap<EnumSchema, ReadonlySet<unknown>>()
const fieldIndexes = new WeakMap<ObjectSchema, ReadonlyMap<string, Field>>()

/** The values of an enum. */
export const enumValues = (schema: EnumSchema): ReadonlySet<unknown> =>
  indexOnce(enumIndexes, schema, ({ values }) => new Set(values.map(({ value }) => value)))

export const fieldsByName = (schema: ObjectSchema): ReadonlyMap<string, Field> =>
  indexOnce(fieldIndexes, schema, ({ fields }) => new Map(fields.map((field) => [field.name, field])))

function indexOnce<S extends object, I>(indexes: WeakMap<S, I>, schema: S, makeIndex: (schema: S) => I): I {
  const known = indexes.get(schema)
  if (known) return known
  const index = makeIndex(schema)
  indexes.set(schema, index)
  return index
}
