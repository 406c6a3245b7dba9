/** Adds descriptions from a glossary to fields and parameters whose schemas have none. */

type Json = Record<string, unknown>
export type Glossary = Readonly<Record<string, string>>

export interface Schema {
  description?: string
  $ref?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
}

/** @param owner name of the field or component that has the schema */
export function describeFields(schema: unknown, glossary: Glossary, owner: string): void {
  if (typeof schema !== 'object' || schema === null) return
  const { properties = {}, items, anyOf = [], allOf = [] } = schema as Schema
  for (const [name, field] of Object.entries(properties)) {
    const meaning = findMeaning(glossary, name, owner)
    if (meaning && !isDescribed(field)) field.description = meaning
    describeFields(field, glossary, name)
  }
  for (const part of [items, ...anyOf, ...allOf]) describeFields(part, glossary, owner)
}

/** Whether the schema or one of its branches has a description; a referenced component has its own. */
export const isDescribed = ({ description, $ref, anyOf = [] }: Schema): boolean =>
  description !== undefined || $ref !== undefined || anyOf.some(isDescribed)

/** @param parameter an OpenAPI parameter object */
export function describeParameter(parameter: Json, glossary: Glossary): Json {
  const { name, schema } = parameter as { name: string; schema: Schema }
  const description = schema.description ?? findMeaning(glossary, name, '')
  return { ...parameter, ...(description && { description }) }
}

const findMeaning = (glossary: Glossary, name: string, owner: string): string | undefined =>
  [`${owner}.${name}`, name].filter((key) => Object.hasOwn(glossary, key)).map((key) => glossary[key])[0]
