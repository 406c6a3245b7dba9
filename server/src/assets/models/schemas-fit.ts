import type { DataSchema } from './dtdl/model.ts'
import { enumValues, fieldsByName } from './schema-index.ts'

/** For each number type, the other types whose values it accepts. */
const wider: Record<string, string[]> = {
  long: ['integer'],
  float: ['integer', 'long'],
  double: ['integer', 'long', 'float'],
}

/** Whether every value of one schema fits the other. Display names do not matter, names of fields do. */
export function schemasFit(from: DataSchema, to: DataSchema): boolean {
  if (from.type === 'enum' && to.type === 'enum')
    return from.values.every(({ value }) => enumValues(to).has(value))
  if (from.type === 'enum') return schemasFit({ type: from.valueType }, to)
  if (from.type === 'array' && to.type === 'array') return schemasFit(from.element, to.element)
  if (from.type === 'map' && to.type === 'map') return schemasFit(from.value, to.value)
  if (from.type === 'object' && to.type === 'object')
    return from.fields.every(({ name, schema }) => {
      const other = fieldsByName(to).get(name)
      return other !== undefined && schemasFit(schema, other.schema)
    })
  return from.type === to.type || (wider[to.type]?.includes(from.type) ?? false)
}
