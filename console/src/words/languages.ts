import { loadPart } from '../load-part.ts'
import type { Area, Catalogue } from './catalogue.ts'

type Load<Words> = () => Promise<{ default: Words }>

/** The words of each area in a file of its own, so that a page loads only the words that it shows. */
const areas = import.meta.glob<{ default: unknown }>(['./*/*.ts', '!./languages/*.ts'])

/** Languages that are one file each: `languages/fr.ts`. A page loads the whole file. [docs/console#languages] */
const wholes = import.meta.glob<{ default: Catalogue }>('./languages/*.ts')

const tags = Object.keys(wholes).map((path) => /([^/]+)\.ts$/.exec(path)![1]!)

/** The languages by their own names. */
export const languages: Readonly<Record<string, string>> = {
  en: 'English',
  de: 'Deutsch',
  ...Object.fromEntries(tags.map((tag) => [tag, nameLanguage(tag)])),
}

/** The name of a language in itself, such as `français`. */
function nameLanguage(tag: string): string {
  return new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag
}

export async function loadArea(language: string, area: Area): Promise<unknown> {
  const whole = wholes[`./languages/${language}.ts`] as Load<Catalogue> | undefined
  if (whole !== undefined) return (await loadPart(whole)).default[area]
  const load = areas[`./${language}/${area}.ts`] as Load<unknown> | undefined
  if (load === undefined) throw new Error(`there are no words for ${area} in ${language}`)
  return (await loadPart(load)).default
}
