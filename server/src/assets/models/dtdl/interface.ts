/** Reads a DTDL v2 or v3 interface by itself, without the models that it references. */
import { checkAnnotations } from './annotations.ts'
import { readContent } from './contents.ts'
import { complexTypes, readSchema } from './data-schema.ts'
import {
  type Document,
  type Element,
  isObject,
  readList,
  type Part,
  fieldPart,
  readReference,
  readEach,
  refuse,
  refuseIssues,
} from './document.ts'
import { readContext } from './context.ts'
import { readElement } from './element.ts'
import type { Content, Interface } from './model.ts'
import { readDtmi, readLabels, readModelId, refuseSameNames } from './names.ts'

/** The limit of an interface with its inherited contents, which is the platform's own. */
export const MAX_CONTENTS = 1000
const MAX_CONTENTS_OF = { 2: 300, 3: MAX_CONTENTS }
const MAX_EXTENDS = { 2: 2, 3: 1000 }
const MAX_SCHEMAS = 1000
const INTERFACE = { Interface: ['contents', 'extends', 'schemas'] }
/** The greatest nesting depth of inline interfaces. DTDL has the same limit for `extends`. */
const MAX_INLINE_DEPTH = 10

/**
 * @param path the path of the definition in the request
 * @throws validation_error with up to 20 problems, each with its path
 */
export const readInterface = (definition: unknown, path = 'definition'): Interface =>
  read(newDocument({ value: definition, path }, false), { value: definition, path })

/** Reads an interface that was accepted when it was stored. */
export function readStoredInterface(definition: unknown): Interface {
  const part = { value: definition, path: 'definition' }
  return read(newDocument(part, true), part)
}

function read(doc: Document, part: Part, depth = 0): Interface {
  const before = doc.total.characters
  const { id, element, bases, contents } = readBody(doc, part, depth)
  refuseIssues(doc)
  refuseSameNames(contents, `${part.path}.contents`)
  const size = JSON.stringify(part.value).length + doc.total.characters - before
  return { id, ...readLabels(element), extends: [...new Set(bases)], contents: withInline(contents), size }
}

/** A component may name an interface that is defined inline in another component. */
function withInline(contents: Content[]): Content[] {
  const components = contents.filter((content) => content.kind === 'component')
  const inline = new Map(components.flatMap((one) => (one.inline ? [[one.modelId, one.inline]] : [])))
  return contents.map((content) =>
    content.kind === 'component' ? { ...content, inline: inline.get(content.modelId) ?? null } : content,
  )
}

interface Body {
  id: string
  element: Element
  /** The models that it references in `extends`. */
  bases: string[]
  contents: Content[]
}

/**
 * An inline interface is not a separate model. One in `extends` adds its contents to the interface that extends it; one
 * in the schema of a component belongs to that component.
 * @param depth the number of interfaces around this one
 */
function readBody(outer: Document, part: Part, depth: number): Body {
  if (depth > MAX_INLINE_DEPTH) refuse(part.path, `nests deeper than ${MAX_INLINE_DEPTH} interfaces`)
  const element = readElement(outer, part, INTERFACE)
  // An interface may use only its own schemas. A stored one may also use those of the interfaces around it.
  const doc = depth > 0 && !outer.isStored ? { ...element.doc, schemas: new Map() } : element.doc
  const id = readModelId(doc, fieldPart(element, '@id'))
  readSchemas(doc, fieldPart(element, 'schemas'))
  refuseIssues(doc)
  const own = readEach(
    doc,
    readList(fieldPart(element, 'contents'), MAX_CONTENTS_OF[doc.isStored ? 3 : doc.version]),
    (item) => readContent(doc, item, (inside, schema) => readInline(inside, schema, depth + 1)),
  )
  refuseIssues(doc)
  if (!doc.isStored) checkAnnotations(own.map((one) => one.element))
  const { bases, inline } = readExtends(element)
  const bodies = inline.map((base) => readBody(doc, base, depth + 1))
  return {
    id,
    element,
    bases: [...bases, ...bodies.flatMap((body) => body.bases)],
    contents: [...own.map(({ content }) => content), ...bodies.flatMap((body) => body.contents)],
  }
}

/** Reads an inline interface of a component. "A Component cannot contain another Component." (DTDL reference) */
function readInline(doc: Document, part: Part, depth: number): Interface {
  if (doc.isInComponent)
    refuse(part.path, 'must not stand in the interface of a component: a component cannot contain another')
  return read({ ...doc, issues: [], isInComponent: true }, part, depth)
}

function newDocument({ value, path }: Part, isStored: boolean): Document {
  if (!isObject(value)) return refuse(path, 'must be a DTDL interface, an object')
  const context = { value: value['@context'], path: `${path}.@context` }
  return {
    ...readContext(context, isStored),
    isStored,
    isInComponent: false,
    schemas: new Map(),
    ids: new Map(),
    total: { characters: 0 },
    issues: [],
  }
}

/**
 * Reads each reusable schema once, so that a problem has the path of its definition. Schemas may reference each other.
 */
function readSchemas(doc: Document, part: Part) {
  const parts = readList(part, MAX_SCHEMAS)
  readEach(doc, parts, (item) => {
    const schema = readElement(doc, item, complexTypes)
    if (!doc.isStored && schema.doc.version !== doc.version)
      refuse(`${item.path}.@context`, `must name DTDL v${doc.version}, as the interface does`)
    const id = readDtmi(doc, fieldPart(schema, '@id'))
    if (doc.schemas.has(id)) refuse(`${item.path}.@id`, 'is the id of another schema, too')
    doc.schemas.set(id, item)
  })
  readEach(doc, parts, (item) => readSchema(doc, item))
}

/** Reads `extends`, whose items are ids of models or inline interfaces. */
function readExtends(element: Element): { bases: string[]; inline: Part[] } {
  const list = fieldPart(element, 'extends')
  const parts = readList(list, MAX_EXTENDS[element.doc.version]).map(readReference)
  const inline = parts.filter(({ value }) => isObject(value))
  const bases = parts.filter(({ value }) => !isObject(value)).map((part) => readModelId(element.doc, part))
  if (new Set(bases).size < bases.length) refuse(list.path, 'names a model twice')
  return { bases, inline }
}
