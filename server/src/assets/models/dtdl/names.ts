/** Names in DTDL: of elements, of models, and texts for people in several languages. */
import { type Document, type Element, isObject, type Part, partOf, refuse, textOf } from './document.ts'

/** By language tag, such as `en`; a text without one is English. Empty where there is none. */
export type LocalText = Record<string, string>

export interface Named {
  name: string
  displayName: LocalText
  description: LocalText
}

/** What every element of a set is called. */
export const namedOf = (doc: Document, element: Element): Named => ({
  name: nameOf(doc, partOf(element, 'name')),
  ...labelsOf(element),
})

export const labelsOf = (element: Element) => ({
  displayName: localTextOf(partOf(element, 'displayName')),
  description: localTextOf(partOf(element, 'description')),
})

const NAME = /^[A-Za-z]([A-Za-z0-9_]*[A-Za-z0-9])?$/

function nameOf({ version }: Document, part: Part): string {
  const name = textOf(part, version === 2 ? 64 : 512)
  if (NAME.test(name)) return name
  return refuse(
    part.path,
    'must be letters, digits and `_`, begin with a letter and end with a letter or digit',
  )
}

const MAX_TEXT = 512
const LANGUAGE_TAG = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/

function localTextOf(part: Part): LocalText {
  const { value, path } = part
  if (value === undefined) return {}
  if (!isObject(value)) return { en: textOf(part, MAX_TEXT) }
  for (const [language, text] of Object.entries(value)) {
    if (!LANGUAGE_TAG.test(language))
      refuse(`${path}.${language}`, 'must be under a language tag, such as `en`')
    textOf({ value: text, path: `${path}.${language}` }, MAX_TEXT)
  }
  return value as LocalText
}

/** As one text, where there is room for one: English if it has that. */
export const plainText = (text: LocalText): string | undefined =>
  text.en ??
  Object.entries(text).find(([language]) => language.startsWith('en-'))?.[1] ??
  Object.values(text)[0]

const SEGMENT = '[A-Za-z]([A-Za-z0-9_]*[A-Za-z0-9])?'
/** The version may be left out of what is not a model. */
const DTMI = new RegExp(`^dtmi:${SEGMENT}(:${SEGMENT})*(;[1-9][0-9]{0,8}(\\.[1-9][0-9]{0,5})?)?$`)

export function dtmiOf(part: Part, maxLength = 2048): string {
  const dtmi = textOf(part, maxLength)
  return DTMI.test(dtmi) ? dtmi : refuse(part.path, 'must be a DTMI, such as dtmi:com:example:Pump;1')
}

/** Of a model: it has a version. [interface, Versioning] */
export function modelIdOf(part: Part): string {
  const id = dtmiOf(part, 128)
  if (/^dtmi:(dtdl|standard):/.test(id)) refuse(part.path, 'must not begin with dtmi:dtdl: or dtmi:standard:')
  return id.includes(';') ? id : refuse(part.path, `must end with a version, such as ${id};1`)
}

/** @throws validation_error when two have the same name */
export function refuseSameNames(named: Named[], path: string): void {
  const names = new Set<string>()
  for (const { name } of named) {
    if (names.has(name)) refuse(path, `has two of the name ${name}`)
    names.add(name)
  }
}
