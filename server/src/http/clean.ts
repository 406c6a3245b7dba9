/** Removes properties that a schema does not name, so that no handler receives unexpected fields. */
import Type, { type TSchema } from 'typebox'
import { Value } from 'typebox/value'

/** TypeBox traverses the schema for each value, which is slow; flat schemas take a faster way. */
export function createCleaner(schema: TSchema): (value: object) => unknown {
  if (!isFlat(schema)) return (value) => Value.Clean(schema, value)
  const known = new Set(Object.keys(schema.properties))
  return (value) => Object.fromEntries(Object.entries(value).filter(([key]) => known.has(key)))
}

/** Whether all fields are scalars, with no properties to remove: true for most bodies and all paths. */
const isFlat = (schema: TSchema): schema is Type.TObject =>
  Type.IsObject(schema) &&
  !('additionalProperties' in schema) &&
  Object.values(schema.properties).every((field) => scalars.some((isScalar) => isScalar(field)))

const scalars = [Type.IsString, Type.IsNumber, Type.IsInteger, Type.IsBoolean, Type.IsEnum, Type.IsLiteral]
