/** Reads `@context`, which names the version of DTDL and the extensions that a model uses. */
import { type Document, isObject, type Part, refuse } from './document.ts'
import { IOT_CENTRAL, knownContexts } from './extensions.ts'
import { DTMI } from './names.ts'

/** The platform's own limit. */
const MAX_CONTEXTS = 100

type ActiveContext = Pick<Document, 'version' | 'contexts' | 'hasUnknownContext'>

const languages = { 'dtmi:dtdl:context;2': 2, 'dtmi:dtdl:context;3': 3 } as const
const isLanguage = (context: unknown): context is keyof typeof languages =>
  typeof context === 'string' && Object.hasOwn(languages, context)

/** @throws validation_error if DTDL is not named first; only IoT Central may precede it */
export function readContext({ value, path }: Part, isStored: boolean): ActiveContext {
  const named: unknown[] = Array.isArray(value) ? value : [value]
  // The last named version of DTDL applies, as in JSON-LD.
  const language = named.filter(isLanguage).at(-1)
  if (language === undefined) return refuse(path, `must name ${Object.keys(languages).join(' or ')}`)
  if (!isStored && !isLanguage(named.find((context) => context !== IOT_CENTRAL)))
    refuse(path, 'must begin with dtmi:dtdl:context, before the extensions')
  return activeContext(named, languages[language], { path, isStored })
}

/** Returns the document as an element sees it that may have a `@context` of its own. */
export function enterContext(doc: Document, { value, path }: Part): Document {
  if (!isObject(value) || value['@context'] === undefined) return doc
  const place = { path: `${path}.@context`, isStored: doc.isStored }
  const context = value['@context']
  const named: unknown[] = Array.isArray(context) ? context : [context]
  const language = named.filter(isLanguage).at(-1)
  const firstLanguage = named.findIndex(isLanguage)
  if (!doc.isStored && named.slice(0, Math.max(0, firstLanguage)).some((one) => one !== IOT_CENTRAL))
    refuse(place.path, 'must name dtmi:dtdl:context before the extensions')
  const version = language === undefined ? doc.version : languages[language]
  if (!doc.isStored && version > doc.version)
    refuse(place.path, `must not name a later version of DTDL than ${doc.version}, which stands around it`)
  return { ...doc, ...activeContext([...doc.contexts, ...named], version, place) }
}

function activeContext(
  named: unknown[],
  version: 2 | 3,
  { path, isStored }: { path: string; isStored: boolean },
): ActiveContext {
  const contexts = [...new Set(named.filter((context) => typeof context === 'string'))]
  // Any of the contexts may define types and fields.
  if (isStored) return { version, contexts, hasUnknownContext: named.length > 1 }
  if (contexts.length > MAX_CONTEXTS) refuse(path, `must not name more than ${MAX_CONTEXTS} contexts`)
  const wrong = named.find((context) => typeof context !== 'string' || !isContext(context, version))
  if (wrong !== undefined)
    refuse(
      path,
      version === 2
        ? `must name contexts by DTMIs such as ${IOT_CENTRAL}, found ${shown(wrong)}`
        : `must name extensions that DTDL v3 has: ${knownContexts.join(', ')}; found ${shown(wrong)}`,
    )
  const known = [...Object.keys(languages), ...knownContexts]
  return { version, contexts, hasUnknownContext: contexts.some((context) => !known.includes(context)) }
}

const shown = (value: unknown) => JSON.stringify(value)?.slice(0, 80)

/** DTDL v2 allows contexts that it does not know. */
const isContext = (context: string, version: 2 | 3) =>
  isLanguage(context) ||
  knownContexts.includes(context) ||
  (version === 2 && DTMI[2].test(context) && !context.startsWith('dtmi:dtdl:context;'))
