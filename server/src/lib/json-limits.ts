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

/** The same for a whole JSON value, keys included. The value must not be too deep. */
export function holdsUnstorableText(value: unknown): boolean {
  if (typeof value === 'string') return isUnstorableText(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, child]) => isUnstorableText(key) || holdsUnstorableText(child))
}
