/** Descriptions of fields and parameters from a glossary, where their schemas have none. */

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

/** @param owner the field or component that the schema describes */
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

/** Itself, or in the branch that is not null; what is referred to is described where it stands. */
export const isDescribed = ({ description, $ref, anyOf = [] }: Schema): boolean =>
  description !== undefined || $ref !== undefined || anyOf.some(isDescribed)

/** @param parameter as it stands in an operation */
export function describeParameter(parameter: Json, glossary: Glossary): Json {
  const { name, schema } = parameter as { name: string; schema: Schema }
  const description = schema.description ?? findMeaning(glossary, name, '')
  return { ...parameter, ...(description && { description }) }
}

const findMeaning = (glossary: Glossary, name: string, owner: string): string | undefined =>
  [`${owner}.${name}`, name].filter((key) => Object.hasOwn(glossary, key)).map((key) => glossary[key])[0]
