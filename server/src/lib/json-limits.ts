/** JSON that parses is not yet JSON that can be stored: it may be too deep, or hold text that PostgreSQL refuses. */

export const MAX_JSON_DEPTH = 64

/** Whether objects and arrays nest deeper than `maxDepth`. Does not recurse, so that no depth can overflow the stack. */
export function isTooDeep(value: unknown, maxDepth = MAX_JSON_DEPTH): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; depth <= maxDepth; depth++) {
    const next: unknown[] = []
    for (const node of level) {
      if (typeof node !== 'object' || node === null) continue
      for (const child of Object.values(node))
        if (typeof child === 'object' && child !== null) next.push(child)
    }
    if (next.length === 0) return false
    level = next
  }
  return true
}

/** Text with NUL or a lone surrogate: legal in JSON, refused by PostgreSQL. */
export const isUnstorableText = (text: string): boolean => text.includes('\u0000') || !text.isWellFormed()

/** Ends a message that begins with the place. */
export const UNSTORABLE_TEXT = 'a NUL character or a lone surrogate, which cannot be stored'

/** The same for a whole JSON value, keys included. The value must not be too deep. */
export const holdsUnstorableText = (value: unknown): boolean => findUnstorableText(value) !== undefined

export interface UnstorableText {
  /** Keys and indices from the value down to the text, or to the object that has such a key. */
  path: string[]
  isKey: boolean
}

/** @param value must not be too deep @returns where the first such text is */
export function findUnstorableText(value: unknown): UnstorableText | undefined {
  if (typeof value === 'string') return isUnstorableText(value) ? { path: [], isKey: false } : undefined
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) return findInList(value)
  for (const key of Object.keys(value)) {
    if (isUnstorableText(key)) return { path: [], isKey: true }
    const found = findUnstorableText((value as Record<string, unknown>)[key])
    if (found) return { ...found, path: [key, ...found.path] }
  }
  return undefined
}

/** Without the keys of the list: making them takes longer than the search. */
function findInList(list: unknown[]): UnstorableText | undefined {
  for (let index = 0; index < list.length; index++) {
    const found = findUnstorableText(list[index])
    if (found) return { ...found, path: [String(index), ...found.path] }
  }
  return undefined
}
