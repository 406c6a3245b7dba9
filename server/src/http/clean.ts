/** Removes properties that a schema does not name, so that no handler receives unexpected fields. */
import Type, { type TSchema } from 'typebox'
import { Value } from 'typebox/value'

type Clean = (value: unknown) => unknown

/** TypeBox traverses the schema for each value, which is slow; closed objects and arrays take a faster way. */
export const createCleaner = (schema: TSchema): Clean => compileCleaner(schema) ?? ((value) => value)

/** @returns undefined if a value has nothing to remove: it is no object, or not looked into */
function compileCleaner(schema: TSchema): Clean | undefined {
  if (Type.IsObject(schema) && !('additionalProperties' in schema)) return compileObject(schema)
  if (Type.IsArray(schema)) {
    const clean = compileCleaner(schema.items)
    return clean && ((value) => (Array.isArray(value) ? value.map((item) => clean(item)) : value))
  }
  if (Type.IsUnion(schema) && schema.anyOf.every((one) => !compileCleaner(one))) return undefined
  return structured.some((isStructured) => isStructured(schema))
    ? (value) => Value.Clean(schema, value)
    : undefined
}

const structured = [
  Type.IsCyclic,
  Type.IsIntersect,
  Type.IsObject,
  Type.IsRecord,
  Type.IsRef,
  Type.IsTuple,
  Type.IsUnion,
]

function compileObject(schema: Type.TObject): Clean {
  const fields = new Map(
    Object.entries(schema.properties).map(([name, field]) => [name, compileCleaner(field) ?? null]),
  )
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const cleaned: Record<string, unknown> = {}
    for (const [name, child] of Object.entries(value)) {
      const clean = fields.get(name)
      if (clean !== undefined) cleaned[name] = clean ? clean(child) : child
    }
    return cleaned
  }
}
