import type { Catalogue } from '../../words/catalogue.ts'
import { isObject } from './twin-changes.ts'

const MOST_BYTES = 131_072

/** Describes why the server would refuse a text; undefined if it would not. [docs/twins#desired-properties] */
export function findDesiredProblem(
  text: string,
  words: Catalogue['devices']['twin'],
  writeBytes: (count: number) => string,
): string | undefined {
  const properties = readJson(text)
  if (!isObject(properties)) return words.notObject
  const size = new TextEncoder().encode(JSON.stringify(properties)).length
  if (size > MOST_BYTES) return words.tooLarge(writeBytes(size), writeBytes(MOST_BYTES))
  return findNameProblem(properties, words)
}

function findNameProblem(value: unknown, words: Catalogue['devices']['twin']): string | undefined {
  if (Array.isArray(value)) return firstProblem(value.map((each) => findNameProblem(each, words)))
  if (!isObject(value)) return undefined
  return firstProblem(
    Object.entries(value).map(([name, child]) => {
      if (name.startsWith('$')) return words.reserved(name)
      return child === null ? words.noNull(name) : findNameProblem(child, words)
    }),
  )
}

const firstProblem = (problems: (string | undefined)[]) => problems.find((problem) => problem !== undefined)

/** @returns undefined if the text is not JSON */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
