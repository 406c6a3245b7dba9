/** Makes an example of an answer from its schema and from sample values by field name. */
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'

export type Samples = Readonly<Record<string, unknown>>

interface Schema {
  title?: string
  type?: string
  const?: unknown
  enum?: unknown[]
  default?: unknown
  format?: string
  minimum?: number
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
}

const formats: Record<string, string> = {
  uuid: '0190b0f0-5c3e-7000-8000-000000000000',
  'date-time': '2026-01-31T12:00:00.000Z',
  email: 'ada@example.com',
  uri: 'https://example.com',
}
const UNKNOWN = undefined

/** @param name of the field with its owner: `Alarm.name`; a sample of that name is used if it fits the schema */
export function makeExample(schema: TSchema, samples: Samples, name = ''): unknown {
  const field = name.slice(name.indexOf('.') + 1)
  const sample = [name, field].find((key) => Object.hasOwn(samples, key) && fits(schema, samples[key]))
  if (sample !== undefined) return samples[sample]
  const { const: constant, enum: values, default: usual, anyOf, allOf, ...rest } = schema as Schema
  if (constant !== undefined) return constant
  if (values) return values[0]
  if (usual !== undefined) return usual
  if (anyOf)
    return makeExample((anyOf.find(({ type }) => type !== 'null') ?? anyOf[0]) as TSchema, samples, name)
  if (allOf) return Object.assign({}, ...allOf.map((part) => makeExample(part as TSchema, samples, name)))
  return makeExampleOfType(rest, samples, name)
}

function makeExampleOfType(
  { title, type, format, minimum, properties = {}, items }: Schema,
  samples: Samples,
  name: string,
) {
  switch (type) {
    case 'object':
      return makeExampleOfObject(properties, samples, title ?? name.slice(name.indexOf('.') + 1))
    case 'array': {
      const item = items && makeExample(items as TSchema, samples, name)
      return item === UNKNOWN ? [] : [item]
    }
    case 'string':
      return formats[format ?? ''] ?? 'text'
    case 'integer':
    case 'number':
      return minimum ?? 1
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return UNKNOWN
  }
}

function makeExampleOfObject(properties: Record<string, Schema>, samples: Samples, owner: string) {
  const fields = Object.entries(properties).map(([key, field]) => [
    key,
    makeExample(field as TSchema, samples, `${owner}.${key}`),
  ])
  return Object.fromEntries(fields.filter(([, example]) => example !== UNKNOWN))
}

/** A schema that refers to its parent schema cannot be checked alone. */
function fits(schema: TSchema, value: unknown): boolean {
  try {
    return Value.Check(schema, value)
  } catch {
    return false
  }
}
