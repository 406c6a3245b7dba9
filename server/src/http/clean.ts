/** Takes what a schema does not name out of a value, so that nothing unasked for reaches a handler. */
import Type, { type TSchema } from 'typebox'
import { Value } from 'typebox/value'

/** TypeBox walks the schema anew for each value, which costs a small request a good part of its time. */
export function createCleaner(schema: TSchema): (value: object) => unknown {
  if (!isFlat(schema)) return (value) => Value.Clean(schema, value)
  const known = new Set(Object.keys(schema.properties))
  return (value) => Object.fromEntries(Object.entries(value).filter(([key]) => known.has(key)))
}

/** An object whose fields have nothing inside that could be taken out: most bodies and all paths are. */
const isFlat = (schema: TSchema): schema is Type.TObject =>
  Type.IsObject(schema) &&
  !('additionalProperties' in schema) &&
  Object.values(schema.properties).every((field) => scalars.some((isScalar) => isScalar(field)))

const scalars = [Type.IsString, Type.IsNumber, Type.IsInteger, Type.IsBoolean, Type.IsEnum, Type.IsLiteral]
