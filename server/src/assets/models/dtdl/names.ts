/** Reads names of elements, ids of models and texts in several languages. */
import {
  checkValueObject,
  type Document,
  type Element,
  isObject,
  readList,
  type Part,
  fieldPart,
  readReference,
  refuse,
  readText,
} from './document.ts'

/** Texts by language tag, such as `en`; a text without a tag is English. Empty if there is none. */
export type LocalText = Record<string, string>

export interface Named {
  name: string
  displayName: LocalText
  description: LocalText
}

/** Reads the name and the labels that every named element has. */
export const readNamed = (element: Element): Named => ({
  name: readName(element.doc, fieldPart(element, 'name')),
  ...readLabels(element),
})

const MAX_DISPLAY_NAME = { 2: 64, 3: 512 }
const MAX_TEXT = 512

export const readLabels = (element: Element) => ({
  displayName: readLocalText(
    element.doc,
    fieldPart(element, 'displayName'),
    MAX_DISPLAY_NAME[element.doc.isStored ? 3 : element.doc.version],
  ),
  description: readLocalText(element.doc, fieldPart(element, 'description'), MAX_TEXT),
})

const NAME = /^[A-Za-z]([A-Za-z0-9_]*[A-Za-z0-9])?$/

function readName({ version }: Document, part: Part): string {
  const name = readText(part, version === 2 ? 64 : 512)
  if (NAME.test(name)) return name
  return refuse(
    part.path,
    'must be letters, digits and `_`, begin with a letter and end with a letter or digit',
  )
}

/** Language, script and region, such as `zh-Hans-CN` and `es-419`. */
const LANGUAGE_TAG = /^[a-z]{2,4}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$/
/** Models that are stored already may have any language tag that the RFC (BCP 47) allows. */
const STORED_LANGUAGE_TAG = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/

/** Reads a text, an object of texts by language tag, or a list of texts and of `{"@value", "@language"}` objects. */
function readLocalText(doc: Document, part: Part, maxLength: number): LocalText {
  if (part.value === undefined) return {}
  if (!doc.isStored) checkLocalText(doc, part)
  const known = doc.isStored ? STORED_LANGUAGE_TAG : LANGUAGE_TAG
  const texts: LocalText = {}
  for (const { value, path } of readList(part, MAX_LANGUAGES))
    for (const [language, text] of languagesIn(value)) {
      const tag = language ?? 'en'
      const place = typeof language === 'string' ? `${path}.${language}` : path
      if (typeof tag !== 'string' || !known.test(tag))
        return refuse(place, 'must be under a language tag, such as `en` or `de-CH`')
      if (!doc.isStored && (language === null || typeof text === 'object'))
        refuse(place, 'must be a text under a language tag')
      if (Object.hasOwn(texts, tag)) refuse(path, `has two texts of the language ${tag}`)
      texts[tag] = readText({ value: text, path: place }, maxLength)
    }
  return texts
}

const MAX_LANGUAGES = 1000

/** Texts by language tag may not be items of a list; `@value` may only occur in one. */
function checkLocalText(doc: Document, { value, path }: Part): void {
  if (isObject(value) && Object.keys(value).some((key) => key.startsWith('@')))
    refuse(path, 'must be texts by language, such as {"en": "Pump"}; @value stands in a list')
  for (const [index, item] of Array.isArray(value) ? value.slice(0, MAX_LANGUAGES).entries() : []) {
    if (!isObject(item)) continue
    const place = `${path}.${index}`
    if (!Object.hasOwn(item, '@value')) refuse(place, 'must be a text, or an object of @value and @language')
    const others = doc.version === 2 ? ['@language', '@type'] : ['@language']
    checkValueObject(doc, { value: item, path: place }, others)
  }
}

/** A text without a language is English. */
function languagesIn(value: unknown): [unknown, unknown][] {
  if (!isObject(value)) return [[undefined, value]]
  return Object.hasOwn(value, '@value') ? [[value['@language'], value['@value']]] : Object.entries(value)
}

/** Picks a single text, in English if there is one. */
export const plainText = (text: LocalText): string | undefined =>
  text.en ??
  Object.entries(text).find(([language]) => language.startsWith('en-'))?.[1] ??
  Object.values(text)[0]

const SEGMENT = '[A-Za-z]([A-Za-z0-9_]*[A-Za-z0-9])?'
/** In DTDL v3 only models need a version. */
export const DTMI = {
  2: new RegExp(`^dtmi:${SEGMENT}(:${SEGMENT})*;[1-9][0-9]{0,8}$`),
  3: new RegExp(`^dtmi:${SEGMENT}(:${SEGMENT})*(;[1-9][0-9]{0,8}(\\.[1-9][0-9]{0,5})?)?$`),
}

export const RESERVED = /^dtmi:(dtdl|standard):/

export function readDtmi({ version, isStored }: Document, part: Part, maxLength = 2048): string {
  const dtmi = readText(readReference(part), maxLength)
  if (DTMI[isStored ? 3 : version].test(dtmi)) return dtmi
  return refuse(
    part.path,
    version === 2
      ? 'must be a DTMI with a version of one number, such as dtmi:com:example:Pump;1'
      : 'must be a DTMI, such as dtmi:com:example:Pump;1',
  )
}

/** Reads the id of a model, which must have a version. [docs/api#ids] */
export function readModelId(doc: Document, part: Part): string {
  const id = readDtmi(doc, part, 128)
  if (RESERVED.test(id)) refuse(part.path, 'must not begin with dtmi:dtdl: or dtmi:standard:')
  return id.includes(';') ? id : refuse(part.path, `must end with a version, such as ${id};1`)
}

/** @throws validation_error if two have the same name */
export function refuseSameNames(named: Named[], path: string): void {
  const names = new Set<string>()
  for (const { name } of named) {
    if (names.has(name)) refuse(path, `has two of the name ${name}`)
    names.add(name)
  }
}
