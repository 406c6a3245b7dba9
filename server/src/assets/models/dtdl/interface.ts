/** A DTDL v2 or v3 interface, as an author wrote it: what it says of itself, nothing of the models that it names. */
import { type Content, readContent } from './contents.ts'
import { complexTypes, readSchema } from './data-schema.ts'
import {
  type Document,
  type Element,
  isObject,
  listOf,
  type Part,
  partOf,
  referenceOf,
  readEach,
  refuse,
  refuseIssues,
} from './document.ts'
import { elementOf } from './element.ts'
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
const MAX_CONTENTS_OF = { 2: 300, 3: MAX_CONTENTS }
const MAX_EXTENDS = { 2: 2, 3: 1000 }
const MAX_SCHEMAS = 1000
const INTERFACE = { Interface: ['contents', 'extends', 'schemas'] }
/** Of interfaces that stand in `extends` of one another. DTDL's. */
const MAX_INLINE_DEPTH = 10

/**
 * @param path of the definition in the request
 * @throws validation_error with up to 20 problems, each with its path
 */
export const readInterface = (definition: unknown, path = 'definition'): Interface =>
  read(newDocument({ value: definition, path }, false), { value: definition, path })

/** One that was accepted when it was stored. */
export function readStoredInterface(definition: unknown): Interface {
  const part = { value: definition, path: 'definition' }
  return read(newDocument(part, true), part)
}

function read(doc: Document, part: Part): Interface {
  const { id, element, bases, contents } = readBody(doc, part)
  refuseIssues(doc)
  refuseSameNames(contents, `${part.path}.contents`)
  return { id, ...labelsOf(doc, element), extends: [...new Set(bases)], contents, size: doc.size }
}

interface Body {
  id: string
  element: Element
  /** The models that it names in `extends`. */
  bases: string[]
  contents: Content[]
}

/**
 * An interface that stands in `extends` itself is no model of its own: it gives its contents to the one that extends it.
 * @param depth how many interfaces this one stands in
 */
function readBody(doc: Document, part: Part, depth = 0): Body {
  if (depth > MAX_INLINE_DEPTH) refuse(part.path, `nests deeper than ${MAX_INLINE_DEPTH} interfaces`)
  const element = elementOf(doc, part, INTERFACE)
  const context = partOf(element, '@context')
  if (depth > 0 && context.value !== undefined && contextOf(context).version !== doc.version)
    refuse(context.path, 'must be of the version of DTDL that the interface around it is of')
  const id = modelIdOf(partOf(element, '@id'))
  readSchemas(doc, partOf(element, 'schemas'))
  refuseIssues(doc)
  const own = readEach(
    doc,
    listOf(partOf(element, 'contents'), MAX_CONTENTS_OF[doc.isStored ? 3 : doc.version]),
    (item) => readContent(doc, item),
  )
  refuseIssues(doc)
  const { bases, inline } = extendsOf(doc, element)
  const bodies = inline.map((base) => readBody(doc, base, depth + 1))
  return {
    id,
    element,
    bases: [...bases, ...bodies.flatMap((body) => body.bases)],
    contents: [...own, ...bodies.flatMap((body) => body.contents)],
  }
}

function newDocument({ value, path }: Part, isStored: boolean): Document {
  if (!isObject(value)) return refuse(path, 'must be a DTDL interface, an object')
  const context = { value: value['@context'], path: `${path}.@context` }
  const { version, contexts, hasExtensions } = contextOf(context)
  if (!isStored && version === 3 && !Object.hasOwn(languages, contexts[0]!))
    refuse(context.path, 'must begin with dtmi:dtdl:context;3, before the extensions')
  return {
    version,
    contexts,
    hasExtensions,
    isStored,
    schemas: new Map(),
    ids: new Map(),
    size: JSON.stringify(value).length,
    issues: [],
  }
}

const languages = { 'dtmi:dtdl:context;2': 2, 'dtmi:dtdl:context;3': 3 } as const
const EXTENSION = /^dtmi:(dtdl:extension:[A-Za-z]+|iotcentral:context);[1-9][0-9]{0,8}$/

/** Of several versions of DTDL the last counts, as in JSON-LD. */
function contextOf({ value, path }: Part): Pick<Document, 'version' | 'contexts' | 'hasExtensions'> {
  const contexts: unknown[] = Array.isArray(value) ? value : [value]
  const isLanguage = (context: unknown) => typeof context === 'string' && Object.hasOwn(languages, context)
  const language = contexts.filter(isLanguage).at(-1) as keyof typeof languages | undefined
  const extensions = contexts.filter((context) => !isLanguage(context))
  if (language === undefined) return refuse(path, `must name ${Object.keys(languages).join(' or ')}`)
  const unknown = extensions.find((context) => typeof context !== 'string' || !EXTENSION.test(context))
  if (unknown !== undefined) refuse(path, 'names a context that is neither DTDL nor an extension of it')
  return {
    version: languages[language],
    contexts: contexts as string[],
    hasExtensions: extensions.length > 0,
  }
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

/** Each is the id of a model, or an interface itself. */
function extendsOf({ version }: Document, element: Element): { bases: string[]; inline: Part[] } {
  const list = partOf(element, 'extends')
  const parts = listOf(list, MAX_EXTENDS[version]).map(referenceOf)
  const inline = parts.filter(({ value }) => isObject(value))
  const bases = parts.filter(({ value }) => !isObject(value)).map((part) => modelIdOf(part))
  if (new Set(bases).size < bases.length) refuse(list.path, 'names a model twice')
  return { bases, inline }
}
