/** A DTDL v2 or v3 interface, as an author wrote it: what it says of itself, nothing of the models that it names. */
import { type Content, readContent } from './contents.ts'
import { complexTypes, readSchema } from './data-schema.ts'
import {
  type Document,
  type Element,
  elementOf,
  isObject,
  listOf,
  type Part,
  partOf,
  readEach,
  refuse,
  refuseIssues,
} from './document.ts'
import { dtmiOf, labelsOf, type LocalText, modelIdOf, refuseSameNames } from './names.ts'

export interface Interface {
  id: string
  displayName: LocalText
  description: LocalText
  /** The models whose contents it has, too. */
  extends: string[]
  contents: Content[]
  /** Characters, with the schemas that it names. */
  size: number
}

/** Of one interface, those that it inherits included; the platform's own limit. */
export const MAX_CONTENTS = 1000
const MAX_EXTENDS = { 2: 2, 3: 1000 }
const MAX_SCHEMAS = 1000

/**
 * @param path of the definition in the request
 * @throws validation_error with up to 20 problems, each with its path
 */
export function readInterface(definition: unknown, path = 'definition'): Interface {
  const part = { value: definition, path }
  const doc = newDocument(part)
  const element = elementOf(doc, part, { Interface: ['@context', 'contents', 'extends', 'schemas'] })
  const id = modelIdOf(partOf(element, '@id'))
  readSchemas(doc, partOf(element, 'schemas'))
  refuseIssues(doc)
  const contents = readEach(doc, listOf(partOf(element, 'contents'), MAX_CONTENTS), (item) =>
    readContent(doc, item),
  )
  refuseIssues(doc)
  refuseSameNames(contents, `${path}.contents`)
  return { id, ...labelsOf(element), extends: extendsOf(doc, element), contents, size: doc.size }
}

function newDocument({ value, path }: Part): Document {
  if (!isObject(value)) return refuse(path, 'must be a DTDL interface, an object')
  const { version, hasExtensions } = contextOf({ value: value['@context'], path: `${path}.@context` })
  return { version, hasExtensions, schemas: new Map(), size: JSON.stringify(value).length, issues: [] }
}

const languages = { 'dtmi:dtdl:context;2': 2, 'dtmi:dtdl:context;3': 3 } as const
const EXTENSION = /^dtmi:(dtdl:extension:[A-Za-z]+|iotcentral:context);[1-9][0-9]{0,8}$/

function contextOf({ value, path }: Part): Pick<Document, 'version' | 'hasExtensions'> {
  const contexts: unknown[] = Array.isArray(value) ? value : [value]
  const versions = Object.entries(languages).filter(([name]) => contexts.includes(name))
  const extensions = contexts.filter((context) => !Object.hasOwn(languages, String(context)))
  if (versions.length !== 1) return refuse(path, `must name ${Object.keys(languages).join(' or ')}`)
  const unknown = extensions.find((context) => typeof context !== 'string' || !EXTENSION.test(context))
  if (unknown !== undefined) refuse(path, 'names a context that is neither DTDL nor an extension of it')
  return { version: versions[0]![1], hasExtensions: extensions.length > 0 }
}

/** Each once, so that a problem in one is told where it stands; they may name one another. */
function readSchemas(doc: Document, part: Part) {
  const parts = listOf(part, MAX_SCHEMAS)
  readEach(doc, parts, (item) => {
    const id = dtmiOf(partOf(elementOf(doc, item, complexTypes), '@id'))
    if (doc.schemas.has(id)) refuse(`${item.path}.@id`, 'is the id of another schema, too')
    doc.schemas.set(id, item)
  })
  readEach(doc, parts, (item) => readSchema(doc, item))
}

/** DTDL takes one, or a list. */
function extendsOf({ version }: Document, element: Element): string[] {
  const { value, path } = partOf(element, 'extends')
  if (typeof value === 'string') return [modelIdOf({ value, path })]
  const bases = listOf({ value, path }, MAX_EXTENDS[version]).map((part) => modelIdOf(part))
  if (new Set(bases).size < bases.length) refuse(path, 'names a model twice')
  return bases
}
