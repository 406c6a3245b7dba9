import type { Answer, Item } from '@gangway/client'
import { writeJson } from '../../parts/code-editor/write-json.ts'

export type Model = Item<'/v1/models'>
export type Content = Answer<'get', '/v1/models/{modelId}/asset'>['contents'][number]

export const contentKinds = ['telemetry', 'property', 'command', 'component', 'relationship'] as const

/** `dtmi:com:example:Pump;2` is version 2 of `dtmi:com:example:Pump`; a version may be `1.2`. */
export function splitId(id: string): { base: string; version: string } {
  const at = id.lastIndexOf(';')
  return at === -1 ? { base: id, version: '' } : { base: id.slice(0, at), version: id.slice(at + 1) }
}

/** The id of the next version, higher than all existing ones. */
export function nextVersionId(id: string, existing: readonly string[]): string {
  const { base } = splitId(id)
  const versions = [id, ...existing]
    .map(splitId)
    .filter((other) => other.base === base)
    .map(({ version }) => Number.parseInt(version, 10))
  return `${base};${Math.max(0, ...versions.filter(Number.isFinite)) + 1}`
}

/** Changes the `@id` in the text of a definition and leaves the rest unchanged. */
export function changeId(text: string, from: string, to: string): string {
  const pattern = new RegExp(`("@id"\\s*:\\s*)${escape(JSON.stringify(from))}`)
  return text.replace(pattern, (_all, before: string) => before + JSON.stringify(to))
}

const escape = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

export const writeDefinition = (definition: unknown) => `${writeJson(definition)}\n`

/** @returns undefined if the text is not a JSON object */
export function readDefinition(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** JSON-LD allows a list of one item to be written without brackets. */
export const asList = (value: unknown): unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value]

/** Reads the DTDL version from the context of a definition. */
export function readDtdlVersion(definition: unknown): string {
  const contexts = asList((definition as { '@context'?: unknown })['@context'])
  const named = contexts.find((one) => typeof one === 'string' && one.startsWith('dtmi:dtdl:context;'))
  return typeof named === 'string' ? splitId(named).version : ''
}

/** Lists the ids of the models that a definition extends. */
export const listBases = (definition: unknown): string[] =>
  asList((definition as { extends?: unknown }).extends).flatMap((base) => {
    const id = typeof base === 'object' && base !== null ? (base as { '@id'?: unknown })['@id'] : base
    return typeof id === 'string' ? [id] : []
  })

export interface OutlineEntry {
  /** Path of the entry in the definition. */
  path: string
  kind: string
  name: string
  schema: string
}

/** Lists the contents of a definition in their order, without inherited ones. */
export function listOutline(definition: Record<string, unknown>): OutlineEntry[] {
  const isList = Array.isArray(definition.contents)
  return asList(definition.contents).flatMap((content, index) => {
    if (typeof content !== 'object' || content === null) return []
    const { '@type': type, name, schema } = content as Record<string, unknown>
    const path = isList ? `contents.${index}` : 'contents'
    return [
      { path, kind: String(asList(type)[0] ?? ''), name: String(name ?? ''), schema: writeSchema(schema) },
    ]
  })
}

/** The name of a schema, or its type if it is defined inline. */
export function writeSchema(schema: unknown): string {
  if (schema === undefined || schema === null) return ''
  if (typeof schema !== 'object') return String(schema)
  const { type, '@type': own, '@id': id } = schema as Record<string, unknown>
  return String(type ?? asList(own)[0] ?? id ?? '')
}

export const exampleDefinition = {
  '@context': 'dtmi:dtdl:context;3',
  '@id': 'dtmi:com:example:Pump;1',
  '@type': 'Interface',
  displayName: 'Pump',
  contents: [
    { '@type': 'Telemetry', name: 'temperature', schema: 'double' },
    { '@type': 'Property', name: 'speed', schema: 'integer', writable: true },
    { '@type': 'Command', name: 'restart' },
  ],
}
